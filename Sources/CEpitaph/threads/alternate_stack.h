// SPDX-License-Identifier: Apache-2.0
//
// Alternate signal stacks.

#ifndef EPITAPH_THREADS_ALTERNATE_STACK_H
#define EPITAPH_THREADS_ALTERNATE_STACK_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Gives the calling thread an alternate stack with guard pages, unless it has one that
/// is as large. It is freed with the thread. Returns 0, or -1 if there is no memory or the thread
/// is running on its alternate stack.
int epitaph_alternate_stack_install(void);

/// ANY-TIME. Threads share an alternate stack, so that they are stopped on their own from now on.
void epitaph_alternate_stack_note_shared(void);

#pragma GCC visibility pop

#endif
