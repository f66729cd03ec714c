// SPDX-License-Identifier: Apache-2.0
//
// Dying as the process would have died without us. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_DEFAULT_ACTION_H
#define EPITAPH_SIGNALS_DEFAULT_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Whether the kernel would have dropped the signal, had it the default action: process 1 of a pid
/// namespace takes none that was sent, kernel/signal.c, sig_task_ignored.
bool epitaph_signal_is_ignored_by_init(int signal, const siginfo_t *info);

/// Brings the default action about, with the signal's true siginfo and the registers of the crash.
/// Returns when the handler is to return: the process dies then.
void epitaph_default_action_perform(int signal, siginfo_t *info, ucontext_t *context);

/// The same for a process whose filter may end it for any call: without one where that can be.
void epitaph_default_action_perform_silently(int signal, siginfo_t *info, ucontext_t *context);

/// Ends the process with `signal` from inside a broken handler. Does not return.
_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info);

#pragma GCC visibility pop

#endif
