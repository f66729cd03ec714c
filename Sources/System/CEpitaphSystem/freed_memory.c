// SPDX-License-Identifier: Apache-2.0
//
// Freed memory that the allocator keeps.

#include "CEpitaphSystem.h"

#include <errno.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void epitaph_freed_memory_keep(void) {
#ifdef __GLIBC__
    // Both grow up to these limits by themselves, but only after one free(3) of that size.
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

void epitaph_freed_memory_return(void) {
#ifdef __GLIBC__
    int error_number = errno;
    (void)malloc_trim(0);
    errno = error_number;
#endif
}
