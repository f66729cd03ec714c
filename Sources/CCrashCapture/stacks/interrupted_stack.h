// SPDX-License-Identifier: Apache-2.0
//
// The stack a thread was on before the signal in whose handler it crashed. CRASH-TIME.

#ifndef EPITAPH_STACKS_INTERRUPTED_STACK_H
#define EPITAPH_STACKS_INTERRUPTED_STACK_H

#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// The stack pointer a thread had before the signal in whose handler, on an alternate stack,
/// `context` is; 0 if it is on no alternate stack, or the stack pointer is not found.
uint64_t epitaph_stack_find_interrupted(const ucontext_t *context);

#pragma GCC visibility pop

#endif
