// SPDX-License-Identifier: Apache-2.0

#include "CEpitaphSystem.h"

#include <dlfcn.h>
#include <stdatomic.h>

typedef char *(*demangler)(const char *, char *, size_t *, int *);

/// The ABI has no status for a missing function.
static const int invalid_argument = -3;

char *epitaph_cxa_demangle(const char *name, char *output, size_t *output_size, int *status) {
    // Racing threads find the same function.
    static _Atomic(demangler) found;
    demangler demangle = atomic_load_explicit(&found, memory_order_relaxed);
    if (demangle == NULL) {
        *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
        atomic_store_explicit(&found, demangle, memory_order_relaxed);
    }
    if (demangle == NULL) {
        *status = invalid_argument;
        return NULL;
    }
    return demangle(name, output, output_size, status);
}
