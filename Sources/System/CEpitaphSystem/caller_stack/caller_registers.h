// SPDX-License-Identifier: Apache-2.0
//
// The registers that unwinding begins with. QUIET-TIME.

#ifndef EPITAPH_CALLER_REGISTERS_H
#define EPITAPH_CALLER_REGISTERS_H

#include "epitaph_caller_stack.h"

#pragma GCC visibility push(hidden)

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
