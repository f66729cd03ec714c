// SPDX-License-Identifier: Apache-2.0
//
// The actions that a signal is passed on to, as a crash needs them. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_PREVIOUS_ACTIONS_H
#define EPITAPH_SIGNALS_PREVIOUS_ACTIONS_H

#include "system/sys.h"

#pragma GCC visibility push(hidden)

/// The action to pass the signal on to after the capture: the later one, if there is one, else the
/// previous.
epitaph_kernel_sigaction epitaph_signal_next_action(int signal);

/// The previous action, or the default where that one is replaced: what comes next when the handler
/// of the later one passes the signal back to us.
epitaph_kernel_sigaction epitaph_signal_previous_action(int signal);

/// The next action as it was found, for putting it back in force.
const epitaph_kernel_sigaction *epitaph_signal_next_installed(int signal);

/// The handler of the next action was one that asked to be called once (SA_RESETHAND): from now on
/// it is the default.
void epitaph_signal_forget_next(int signal);

#pragma GCC visibility pop

#endif
