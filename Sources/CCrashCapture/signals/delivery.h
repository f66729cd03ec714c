// SPDX-License-Identifier: Apache-2.0
//
// Signals that were passed on to a handler of the program's, and what becomes of them. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_DELIVERY_H
#define EPITAPH_SIGNALS_DELIVERY_H

#include "system/sys.h"

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// What kind of signal has come to the crash handler.
typedef enum epitaph_delivery_kind {
    /// A new signal, which is to be captured.
    EPITAPH_SIGNAL_IS_FRESH,
    /// On its way to a handler of the program's, past the thunk.
    EPITAPH_SIGNAL_IS_ON_ITS_WAY,
    /// A fault that has been captured and that the program's handler did not repair, or a fault of
    /// that handler itself: it belongs to the handler again.
    EPITAPH_SIGNAL_CAME_BACK,
    /// The program's handler has raised the signal to die of it, or passed it on to ours, which it
    /// found when it was installed.
    EPITAPH_SIGNAL_IS_TO_KILL,
} epitaph_delivery_kind;

/// Whether an action is the temporary one of a signal on its way to the program.
bool epitaph_delivery_is_thunk(const void *handler);
/// Whether a handler is ours: the crash handler, or that temporary one.
bool epitaph_delivery_is_ours(const void *handler);

/// Decides by what was passed to this thread before. `is_kernel_entry`: the kernel has called us,
/// not the program.
epitaph_delivery_kind epitaph_delivery_judge(int signal, const siginfo_t *info,
                                             const ucontext_t *context, bool is_kernel_entry);

/// The owner of one of our signals when none of the program's handlers should run.
typedef struct epitaph_delivery_owner {
    void (*handle)(int signal, siginfo_t *info, void *context);
    /// Restores the owner's handler, or the program's action if it needs none any more.
    void (*put_back)(void);
} epitaph_delivery_owner;

/// Makes the kernel deliver the signal to `action`, which is neither SIG_DFL nor SIG_IGN, when the
/// current handler returns: on the stack, with the mask and the flags that the program asked for.
/// The action in force now is restored before the program's handler runs: by `owner`, or as it was
/// if that is NULL, for the signals of the crash handler.
void epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                            ucontext_t *context, const epitaph_delivery_owner *owner);

/// Calls the handler of `action` as a function, if a handler of the program's has called ours like
/// that. May not return (siglongjmp).
void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context);

#pragma GCC visibility pop

#endif
