// SPDX-License-Identifier: Apache-2.0
//
// Finds the function that a function of this library replaces.

#include "base/base.h"

#include <dlfcn.h>

static const void *module_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

void *epitaph_next_function(const char *name, const void *interceptor) {
    // Linked statically beside us it precedes ours, so RTLD_NEXT does not find it. In another
    // module its own next function may be ours, or it is found.
    bool is_beside = interceptor != NULL && module_of(interceptor) != NULL &&
                     module_of(interceptor) == module_of((void *)epitaph_next_function);
    return is_beside ? (void *)interceptor : dlsym(RTLD_NEXT, name);
}
