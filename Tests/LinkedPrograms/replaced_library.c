// SPDX-License-Identifier: Apache-2.0
//
// replaced_library DATABASE LIBRARY OTHER: loads the library, starts, puts the first page of the
// other file in its place, and crashes. A plugin that was built again, unloaded and loaded looks
// like this where malloc(3) gives its entry in the loader's list the same address.

#include <epitaph.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count < 4) return 64;
    struct link_map *entry = NULL;
    void *library = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || dlinfo(library, RTLD_DI_LINKMAP, &entry) != 0) return 70;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.replaced-library";
    if (epitaph_start(&options, NULL) != EPITAPH_OK) return 71;
    int other = open(arguments[3], O_RDONLY | O_CLOEXEC);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *place = (void *)entry->l_addr;
    if (mmap(place, page, PROT_READ, MAP_PRIVATE | MAP_FIXED, other, 0) != place) return 72;
    *(volatile int *)16 = 1;
    return 0;
}
