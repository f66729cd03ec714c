// SPDX-License-Identifier: Apache-2.0
//
// What a signal did before us, and how to let it. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_H
#define EPITAPH_SIGNALS_H

#include "sys.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

/// The action to take after the capture: the one remembered, or the default where that one is
/// replaced.
epitaph_kernel_sigaction epitaph_signal_previous_action(int signal);

/// The action from before the start: the same, unless our handler was displaced and taken back.
epitaph_kernel_sigaction epitaph_signal_original_action(int signal);

/// Gives the stop signal `handler`, with all signals blocked while it runs, and tells what it had.
/// The trampoline that returns from it is libc's. False when that is not known or the kernel
/// refuses.
bool epitaph_signal_install_stop_handler(void *handler, epitaph_kernel_sigaction *earlier);

/// Takes the default action with the signal's true siginfo. Returns when the handler is to return:
/// then a fault happens again, or the queued signal arrives, and the process dies with the
/// registers of the crash.
void epitaph_signal_take_default(int signal, siginfo_t *info, ucontext_t *context);

/// Calls the handler the signal had before us, under the mask it would have had. May not return
/// (siglongjmp).
void epitaph_signal_call_earlier(int signal, siginfo_t *info, ucontext_t *context);

/// The same with the handler of `action`, which is neither SIG_DFL nor SIG_IGN.
void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context);

/// For a signal that came while its action was taken over: does with it what `earlier` says, unless
/// this process sent it to one of its threads, as only we do.
void epitaph_signal_pass_on(const epitaph_kernel_sigaction *earlier, int signal, siginfo_t *info,
                            ucontext_t *context);

/// Ends the process with `signal` from inside a broken handler. Does not return.
_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info);

#pragma GCC visibility pop

#endif
