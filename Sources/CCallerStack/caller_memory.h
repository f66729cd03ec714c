// SPDX-License-Identifier: Apache-2.0
//
// Reading the calling thread's stack, which is plain memory only where it is known to end, and
// memory that may not be there. QUIET-TIME.

#ifndef EPITAPH_CALLER_MEMORY_H
#define EPITAPH_CALLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Where the calling thread's own stack lies; both 0 when that is not known.
typedef struct epitaph_caller_limits {
    uint64_t low;
    uint64_t high;
} epitaph_caller_limits;

/// The first call of each thread asks the C library, the others remember.
epitaph_caller_limits epitaph_caller_limits_get(void);

static inline bool epitaph_caller_limits_contain(epitaph_caller_limits limits, uint64_t address,
                                                 size_t count) {
    return address >= limits.low && address < limits.high && limits.high - address >= count;
}

/// Lets the kernel copy `count` bytes from `address`, at most EPITAPH_CALLER_STACK_BYTES; returns
/// how many it could, page by page.
size_t epitaph_caller_memory_read(void *to, uint64_t address, size_t count);

/// Copies memory of the own stack. The sanitizers' own copies are not used: what other threads
/// write there at this moment may be read as it is.
void epitaph_caller_memory_copy(void *to, uint64_t address, size_t count);

#pragma GCC visibility pop

#endif
