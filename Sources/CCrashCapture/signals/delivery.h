// SPDX-License-Identifier: Apache-2.0
//
// Signals that were handed to a handler of the program's: what becomes of them. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_DELIVERY_H
#define EPITAPH_SIGNALS_DELIVERY_H

#include "system/sys.h"

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

/// Who handles a signal of ours when none of the program's handlers is to.
typedef struct epitaph_delivery_owner {
    void (*handle)(int signal, siginfo_t *info, void *context);
    /// Puts the owner's handler in force again, or the program's action when it needs none any
    /// more.
    void (*put_back)(void);
} epitaph_delivery_owner;

/// Has the kernel deliver the signal to `action`, which is neither SIG_DFL nor SIG_IGN, when the
/// present handler returns: on the stack, with the mask and the flags that the program asked for.
/// The action that is in force now is put back before the program's handler runs: by `owner`, or
/// as it was where that is NULL, for the signals of the crash handler.
void epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                            ucontext_t *context, const epitaph_delivery_owner *owner);

/// Calls the handler of `action` as a function, for a handler of the program's that has called ours
/// as one. May not return (siglongjmp).
void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context);

#pragma GCC visibility pop

#endif
