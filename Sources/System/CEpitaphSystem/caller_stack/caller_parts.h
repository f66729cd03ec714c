// SPDX-License-Identifier: Apache-2.0
//
// Parts of a caller stack copy: buffers, memory and registers. QUIET-TIME.

#ifndef EPITAPH_CALLER_STACK_CALLER_PARTS_H
#define EPITAPH_CALLER_STACK_CALLER_PARTS_H

#include "epitaph_caller_stack.h"

#pragma GCC visibility push(hidden)

epitaph_caller_stack *epitaph_caller_buffer_take(size_t count);

/// Limits of the calling thread's stack; both 0 if unknown.
typedef struct epitaph_caller_limits {
    uint64_t low;
    uint64_t high;
} epitaph_caller_limits;

/// A thread's first call asks libc, which costs as much as allocating. Then cached.
epitaph_caller_limits epitaph_caller_limits_get(void);

/// End of the calling thread's stack at `address`, at most `count` bytes away; or 0.
uint64_t epitaph_caller_stack_end(uint64_t address, size_t count);

static inline bool epitaph_caller_limits_contain(epitaph_caller_limits limits, uint64_t address,
                                                 size_t count) {
    return address >= limits.low && address < limits.high && limits.high - address >= count;
}

/// Has the kernel copy up to EPITAPH_CALLER_STACK_BYTES by pages. Returns the bytes copied.
size_t epitaph_caller_memory_read(void *to, uint64_t address, size_t count);

/// Hidden from sanitizers, because other threads may harmlessly write to this stack meanwhile.
void epitaph_caller_memory_copy(void *to, uint64_t address, size_t count);

void epitaph_caller_registers_store(epitaph_caller_registers *registers);

static inline uint64_t epitaph_caller_stack_pointer(const epitaph_caller_registers *registers) {
#if defined(__x86_64__)
    return registers->words[6];
#else
    return registers->words[12];
#endif
}

static inline uint64_t epitaph_caller_frame_pointer(const epitaph_caller_registers *registers) {
#if defined(__x86_64__)
    return registers->words[1];
#else
    return registers->words[10];
#endif
}

#pragma GCC visibility pop

#endif
