// SPDX-License-Identifier: Apache-2.0
//
// A library opened with RTLD_DEEPBIND calls the libc that it was linked with, not us: it could free
// a block of the pool there. So the first such library ends sampling in this process.

#include "heap.h"

#include <dlfcn.h>

#if defined(RTLD_DEEPBIND) && !defined(EPITAPH_HEAP_IS_SANITIZED) && \
    !defined(EPITAPH_HEAP_IS_WRAPPED)

// dlopen(3) looks at its return address for the caller's library paths, so the next function has to
// be jumped to.
#if defined(__clang__)
#define JUMPED_TO __attribute__((musttail))
#define JUMPS
#else
#define JUMPED_TO
#define JUMPS __attribute__((optimize("O2")))
#endif

JUMPS __attribute__((visibility("default"))) void *dlopen(const char *file, int mode) {
    if ((mode & RTLD_DEEPBIND) != 0) epitaph_heap_sampler_1.stop();
    JUMPED_TO return epitaph_heap_next.dlopen(file, mode);
}

#endif
