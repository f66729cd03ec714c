// SPDX-License-Identifier: Apache-2.0
//
// The stack for captures of threads that crash with too little stack left. CRASH-TIME.

#ifndef EPITAPH_PREPARED_EMERGENCY_STACK_H
#define EPITAPH_PREPARED_EMERGENCY_STACK_H

#include "system/bytes.h"

#pragma GCC visibility push(hidden)

/// Empty if there is none.
epitaph_range epitaph_emergency_stack_range(void);

/// Frees the stack for a process that ends in the handler in shared memory: a child of vfork(2).
void epitaph_emergency_stack_release(void);

#define EPITAPH_HIDDEN __attribute__((visibility("hidden")))

/// Makes it the alternate stack of the calling thread, which runs on it.
void epitaph_emergency_stack_enter(void);

/// For the handler's entry: end of the stack, 0 if there is none; and 1 while it is in use.
extern EPITAPH_HIDDEN uint64_t epitaph_emergency_stack_end;
extern EPITAPH_HIDDEN uint32_t epitaph_emergency_stack_taken;

#pragma GCC visibility pop

#endif
