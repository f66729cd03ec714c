// SPDX-License-Identifier: Apache-2.0
//
// The stack for captures of threads that crash with too little stack left, as the handler's
// first instructions use it. CRASH-TIME.

#ifndef EPITAPH_PREPARED_EMERGENCY_STACK_H
#define EPITAPH_PREPARED_EMERGENCY_STACK_H

#include "system/bytes.h"

#pragma GCC visibility push(hidden)

/// The emergency stack; empty if there is none.
epitaph_range epitaph_emergency_stack_range(void);

/// Frees the emergency stack, for a process that ends without returning from the handler in memory
/// that others continue to use, as a child of vfork(2) does.
void epitaph_emergency_stack_release(void);

#define EPITAPH_HIDDEN __attribute__((visibility("hidden")))

/// Tells the kernel that the calling thread's alternate stack is this one, which it is on.
void epitaph_emergency_stack_enter(void);

/// Used by the handler's first instructions: one past the emergency stack, 0 if there is none, 1
/// while it is in use.
extern EPITAPH_HIDDEN uint64_t epitaph_emergency_stack_end;
extern EPITAPH_HIDDEN uint32_t epitaph_emergency_stack_taken;

#pragma GCC visibility pop

#endif
