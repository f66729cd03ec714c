// SPDX-License-Identifier: Apache-2.0
//
// The actions a signal had: the previous one, before ours, and the later one, which displaced
// ours. Internal to the package.

#ifndef EPITAPH_PREVIOUS_ACTIONS_H
#define EPITAPH_PREVIOUS_ACTIONS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Remembers the current action of `signal` as its previous one, to which the signal will
/// be passed on. Returns 1, or 0 if the signal is ignored and must stay so, or a negative errno.
long epitaph_signal_remember_previous(int signal);

/// ANY-TIME. The address of the previous action's handler function; 0 for the default action.
uint64_t epitaph_signal_previous_handler(int signal);

/// QUIET-TIME. Remembers the current action of `signal`, which has displaced our handler, as the
/// later one: the signal is passed on to it first, and to the previous one when its handler passes
/// it back to us. Results as those of `epitaph_signal_remember_previous`. The caller installs our
/// handler.
long epitaph_signal_remember_later(int signal);

/// QUIET-TIME. From now on the signal is passed on to the previous action only.
void epitaph_signal_forget_later(int signal);

#pragma GCC visibility pop

#endif
