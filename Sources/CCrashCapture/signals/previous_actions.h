// SPDX-License-Identifier: Apache-2.0
//
// The actions to which a signal is passed on in a crash. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_PREVIOUS_ACTIONS_H
#define EPITAPH_SIGNALS_PREVIOUS_ACTIONS_H

#include "system/sys.h"

#pragma GCC visibility push(hidden)

/// The action to which the signal is passed on after the capture: the later one if there is one,
/// otherwise the previous.
epitaph_kernel_sigaction epitaph_signal_next_action(int signal);

/// The previous action, or the default if that one is replaced: it is next when the handler of the
/// later one passes the signal back to us.
epitaph_kernel_sigaction epitaph_signal_previous_action(int signal);

/// The next action as it was found, for restoring it.
epitaph_kernel_sigaction epitaph_signal_next_installed(int signal);

/// Makes `action` the later one. Returns false, with nothing changed, if other threads changed it
/// again and again meanwhile.
bool epitaph_signal_set_later(int signal, const epitaph_kernel_sigaction *action);

/// The handler of the next action asked to be called only once (SA_RESETHAND): from now on that
/// action is the default.
void epitaph_signal_forget_next(int signal);

#pragma GCC visibility pop

#endif
