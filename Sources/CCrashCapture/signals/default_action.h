// SPDX-License-Identifier: Apache-2.0
//
// Dies as the process would have died without us. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_DEFAULT_ACTION_H
#define EPITAPH_SIGNALS_DEFAULT_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Whether the kernel would have dropped the signal if it had the default action: process 1 of a
/// pid namespace ignores all that are sent, kernel/signal.c, sig_task_ignored.
bool epitaph_signal_is_ignored_by_init(int signal, const siginfo_t *info);

/// Causes the default action, with the signal's true siginfo and the registers of the crash. If it
/// returns, the handler must return, and the process dies then.
void epitaph_default_action_perform(int signal, siginfo_t *info, ucontext_t *context);

/// The same for a process whose filter may kill it for any call: without a system call if possible.
void epitaph_default_action_perform_silently(int signal, siginfo_t *info, ucontext_t *context);

/// Ends the process with `signal` from inside a broken handler. Does not return.
_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info);

#pragma GCC visibility pop

#endif
