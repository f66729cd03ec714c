// SPDX-License-Identifier: Apache-2.0
//
// dlopen(3) of this library itself with RTLD_NODELETE.

#include "base/base.h"

#include <dlfcn.h>
#include <link.h>

#ifdef __GLIBC__

typedef void *(*open_function)(const char *, int);

/// As the preloaded library is linked: dlopen(3) allocates, and a program's allocator may not work
/// before its main.
static bool is_never_unloaded(const struct link_map *map) {
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_FLAGS_1) return (entry->d_un.d_val & DF_1_NODELETE) != 0;
    }
    return false;
}

void epitaph_library_pin(void) {
    Dl_info info;
    void *map = NULL;
    // Looked up because the linker warns about dlopen in static programs, which need no pinning.
    open_function open = (open_function)dlsym(RTLD_DEFAULT, "dlopen");
    if (open == NULL) return;
    if (dladdr1((void *)epitaph_library_pin, &info, &map, RTLD_DL_LINKMAP) == 0 || map == NULL) {
        return;
    }
    // The main program has no name and cannot be unloaded.
    const char *name = ((const struct link_map *)map)->l_name;
    if (name == NULL || name[0] == 0 || is_never_unloaded(map)) return;
    // The loader's own name for it, so no file is searched. The handle is kept forever.
    static void *handle;
    if (handle == NULL) handle = open(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

#else

// musl's dlclose(3) unloads nothing.
void epitaph_library_pin(void) {}

#endif
