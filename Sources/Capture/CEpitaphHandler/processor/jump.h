// SPDX-License-Identifier: Apache-2.0
//
// Leaving a broken section: a set-jump and a long-jump of our own. libc's are reached through the
// PLT, mangle pointers with a thread-local secret and may run clean-up code. CRASH-TIME.

#ifndef EPITAPH_PROCESSOR_JUMP_H
#define EPITAPH_PROCESSOR_JUMP_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The registers a function must preserve (x86_64: psABI 3.2.1; aarch64: AAPCS64 6.1), the stack
/// pointer and the return address.
typedef struct epitaph_jump {
    uint64_t words[22];
} epitaph_jump;

/// Remembers the place of the call and returns 0; returns 1 when `epitaph_jump_to` jumps back to
/// it. The calling function must not have returned by then.
__attribute__((returns_twice)) int epitaph_jump_set(epitaph_jump *jump);

_Noreturn void epitaph_jump_to(const epitaph_jump *jump);

#pragma GCC visibility pop

#endif
