// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#include <dlfcn.h>
#include <link.h>

// Weak, so that it is not pulled into programs that are linked statically: there is nothing to pin
// in those, and the linker warns of it.
extern void *dlopen(const char *name, int flags) __attribute__((weak));
extern int dladdr1(const void *address, Dl_info *info, void **extra, int flags)
    __attribute__((weak));

void epitaph_library_pin(void) {
    Dl_info info;
    void *map = NULL;
    if (dlopen == NULL || dladdr1 == NULL) return;
    if (dladdr1((void *)epitaph_library_pin, &info, &map, RTLD_DL_LINKMAP) == 0 || map == NULL) {
        return;
    }
    // The program itself has no name, and stays anyway.
    const char *name = ((const struct link_map *)map)->l_name;
    if (name == NULL || name[0] == 0) return;
    // By the name the loader knows it by, so no file is looked for. The handle is kept for good.
    static void *handle;
    if (handle == NULL) handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
