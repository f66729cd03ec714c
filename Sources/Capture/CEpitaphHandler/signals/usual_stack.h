// SPDX-License-Identifier: Apache-2.0
//
// Handlers of the program that the kernel calls, without our alternate stack. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_USUAL_STACK_H
#define EPITAPH_SIGNALS_USUAL_STACK_H

#include "signals/actions.h"

#pragma GCC visibility push(hidden)

/// `wanted` as the kernel gets it: with the entry as its handler if it asks for SA_ONSTACK.
epitaph_kernel_sigaction epitaph_usual_stack_action(const epitaph_kernel_sigaction *wanted);

/// Whether `handler`, the kernel's, is that of `wanted` or the entry to it.
bool epitaph_usual_stack_has(const void *handler, const epitaph_kernel_sigaction *wanted);

/// Bytes to add to the addresses of frame, siginfo and context, and the program's handler.
typedef struct epitaph_usual_stack_move {
    uint64_t distance;
    const void *handler;
} epitaph_usual_stack_move;

/// Copies the kernel's frame, which begins at `frame`, to the interrupted stack if it is on an
/// alternate stack of ours.
epitaph_usual_stack_move epitaph_usual_stack_prepare(int signal, siginfo_t *info,
                                                     ucontext_t *context, uint8_t *frame);

/// The entry, usual_stack_*.c.
void epitaph_usual_stack_enter(int signal, siginfo_t *info, void *context);

#pragma GCC visibility pop

#endif
