// SPDX-License-Identifier: Apache-2.0
//
// Our own handler as an action of the kernel's. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_OWN_ACTIONS_H
#define EPITAPH_SIGNALS_OWN_ACTIONS_H

#include "system/sys.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// An action with a handler of ours, SA_SIGINFO, `flags`, and all signals blocked while it runs
/// except faults: all 64 of the kernel's, because sigfillset(3) leaves out the two with which glibc
/// cancels threads. The trampoline is libc's; all zeros if that is not known.
epitaph_kernel_sigaction epitaph_signal_make_action(void *handler, unsigned long flags);

/// The action of our crash handler. It is marked while a handler of the program's runs to which we
/// passed a signal: its mask distinguishes it from the one that this handler may have found, kept
/// and reinstalled.
epitaph_kernel_sigaction epitaph_signal_own_action(int signal, bool is_marked);
/// Whether an action is the marked one.
bool epitaph_signal_action_is_marked(const epitaph_kernel_sigaction *action);
/// Whether the marked action is in force.
bool epitaph_signal_is_marked(int signal);

/// Gives an action with a handler the trampoline that libc gives its own.
void epitaph_signal_add_trampoline(epitaph_kernel_sigaction *action);

#pragma GCC visibility pop

#endif
