// SPDX-License-Identifier: Apache-2.0
//
// The parts of a copy of the calling thread: memory for it, reading memory, registers. QUIET-TIME.

#ifndef EPITAPH_CALLER_STACK_CALLER_PARTS_H
#define EPITAPH_CALLER_STACK_CALLER_PARTS_H

#include "epitaph_caller_stack.h"

#pragma GCC visibility push(hidden)

// Memory for copies of stacks that is there before it is needed. QUIET-TIME.

/// Room for a copy with `count` bytes of stack: what `epitaph_caller_buffers_prepare` made, if some
/// is left, otherwise from malloc(3). NULL without memory.
epitaph_caller_stack *epitaph_caller_buffer_take(size_t count);

// Reads the calling thread's stack, directly where its end is known, and memory that may not be
// mapped, through the kernel. QUIET-TIME.

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

// The registers that unwinding begins with. QUIET-TIME.

/// Stores the registers as the calling function will have them after this call.
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
