// SPDX-License-Identifier: Apache-2.0
//
// dlopen(3) of this library itself with RTLD_NODELETE.

#include "base/base.h"

#include <dlfcn.h>
#include <link.h>

#ifdef __GLIBC__

typedef void *(*open_function)(const char *, int);

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
    if (name == NULL || name[0] == 0) return;
    // The loader's own name for it, so no file is searched. The handle is kept forever.
    static void *handle;
    if (handle == NULL) handle = open(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

#else

// musl's dlclose(3) unloads nothing.
void epitaph_library_pin(void) {}

#endif
