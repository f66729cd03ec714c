// SPDX-License-Identifier: Apache-2.0
//
// Signals that were handed to a handler of the program's: what becomes of them. CRASH-TIME.

#ifndef EPITAPH_DELIVERY_H
#define EPITAPH_DELIVERY_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// What a signal is that has come to the crash handler.
typedef enum epitaph_delivery_kind {
    /// One that is to be captured.
    EPITAPH_SIGNAL_IS_FRESH,
    /// On its way to a handler of the program's: it missed the thunk.
    EPITAPH_SIGNAL_IS_ON_ITS_WAY,
    /// A fault that has been captured, and that the program's handler did not mend, or one of that
    /// handler itself: it is the handler's again.
    EPITAPH_SIGNAL_CAME_BACK,
    /// The program's handler has raised the signal to die of it, or handed it on to ours, which it
    /// had found when it was installed.
    EPITAPH_SIGNAL_IS_TO_KILL,
} epitaph_delivery_kind;

/// Whether an action is the one that stands in while a signal is on its way to the program.
bool epitaph_delivery_is_thunk(const void *handler);

/// Judges by what this thread was handed before. `is_kernel_entry`: the kernel has called us, not
/// the program.
epitaph_delivery_kind epitaph_delivery_judge(int signal, const siginfo_t *info,
                                             const ucontext_t *context, bool is_kernel_entry);

#pragma GCC visibility pop

#endif
