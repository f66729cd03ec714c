// SPDX-License-Identifier: Apache-2.0
//
// What a signal did before us, and how to let it. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_H
#define EPITAPH_SIGNALS_H

#include "sys.h"

#include <signal.h>
#include <ucontext.h>

/// Signals the processor raises for an instruction. A handler of ours never blocks them: a fault
/// whose signal is blocked ends the process on the spot.
extern const uint64_t epitaph_fault_signals;

#pragma GCC visibility push(hidden)

/// The action to take after the capture: the one remembered, or the default where that one is
/// replaced.
epitaph_kernel_sigaction epitaph_signal_previous_action(int signal);

/// The action from before the start: the same, unless our handler was displaced and taken back.
epitaph_kernel_sigaction epitaph_signal_original_action(int signal);

/// The handler was one that asked to be called once (SA_RESETHAND): from now on it is the default.
void epitaph_signal_forget_previous(int signal);

/// An action with a handler of ours, SA_SIGINFO, `flags`, and every signal blocked while it runs
/// but faults: all 64 of the kernel's, for sigfillset(3) leaves out the two that glibc cancels
/// threads with. The trampoline is libc's; all zeros when that is not known.
epitaph_kernel_sigaction epitaph_signal_make_action(void *handler, unsigned long flags);

/// The action with which our crash handler is installed for `signal`.
epitaph_kernel_sigaction epitaph_signal_own_action(int signal);

/// The same while a handler of the program's runs that we handed a signal to: told apart by its
/// mask from the one that this handler may have found, kept and put back.
epitaph_kernel_sigaction epitaph_signal_own_action_marked(int signal);
/// Whether the marked action is in force.
bool epitaph_signal_is_marked(int signal);

/// Whether the kernel would have dropped the signal, had it the default action: process 1 of a pid
/// namespace takes none that was sent, kernel/signal.c, sig_task_ignored.
bool epitaph_signal_is_ignored_by_init(int signal, const siginfo_t *info);

/// Brings the default action about, with the signal's true siginfo and the registers of the crash.
/// Returns when the handler is to return: the process dies then.
void epitaph_signal_take_default(int signal, siginfo_t *info, ucontext_t *context);

/// The same for a process whose filter may end it for any call: without one where that can be.
void epitaph_signal_take_default_silently(int signal, siginfo_t *info, ucontext_t *context);

/// Has the kernel deliver the signal to `action`, which is neither SIG_DFL nor SIG_IGN, when the
/// present handler returns: on the stack, with the mask and the flags that the program asked for.
/// The action that is in force now is put back before the program's handler runs. delivery.c
void epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                            ucontext_t *context);

/// Calls the handler of `action` as a function, for a handler of the program's that has called ours
/// as one. May not return (siglongjmp).
void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context);

/// The signals blocked when the handler returns.
uint64_t epitaph_signal_blocked(const ucontext_t *context);
void epitaph_signal_set_blocked(ucontext_t *context, uint64_t mask);

/// Queues the signal again, with its true siginfo, for the calling thread; false when that cannot
/// be done. Nothing is delivered before the handler returns.
bool epitaph_signal_queue_again(int signal, const siginfo_t *info);

/// Whether the instruction will most likely raise the signal again when it is run again.
bool epitaph_signal_happens_again(int signal, const siginfo_t *info);

/// Ends the process with `signal` from inside a broken handler. Does not return.
_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info);

#pragma GCC visibility pop

#endif
