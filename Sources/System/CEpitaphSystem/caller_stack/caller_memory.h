// SPDX-License-Identifier: Apache-2.0
//
// Reads the calling thread's stack, directly where its end is known, and memory that may not be
// mapped, through the kernel. QUIET-TIME.

#ifndef EPITAPH_CALLER_MEMORY_H
#define EPITAPH_CALLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The limits of the calling thread's own stack; both 0 if they are not known.
typedef struct epitaph_caller_limits {
    uint64_t low;
    uint64_t high;
} epitaph_caller_limits;

/// Asks the C library at the first call of each thread, which takes as long as allocating does
/// there; the others remember.
epitaph_caller_limits epitaph_caller_limits_get(void);

/// Where the part of the stack ends that begins at `address` and that may be the calling thread's,
/// if that is at most `count` bytes away; 0 where it is not, or not known. Below it there may be
/// other memory or none: for the kernel to find out.
uint64_t epitaph_caller_stack_end(uint64_t address, size_t count);

static inline bool epitaph_caller_limits_contain(epitaph_caller_limits limits, uint64_t address,
                                                 size_t count) {
    return address >= limits.low && address < limits.high && limits.high - address >= count;
}

/// Lets the kernel copy `count` bytes from `address`, at most EPITAPH_CALLER_STACK_BYTES. Copies
/// page by page, and returns how many bytes it could copy.
size_t epitaph_caller_memory_read(void *to, uint64_t address, size_t count);

/// Copies memory of the thread's own stack. Not intercepted by sanitizers: other threads may be
/// writing to it at this moment, which does no harm here.
void epitaph_caller_memory_copy(void *to, uint64_t address, size_t count);

#pragma GCC visibility pop

#endif
