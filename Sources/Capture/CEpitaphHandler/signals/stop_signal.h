// SPDX-License-Identifier: Apache-2.0
//
// The stop signal (SIGPROF) belongs to the program, and is borrowed: by a live dump, to interrupt
// the thread that takes it; by a capture, to stop threads and for its watchdog; at the start, to
// hand out alternate stacks. These may overlap, so there is one handler for all of them, here, and
// one previous action. The handler is installed with the first user, and the previous action
// restored with the last. CRASH-TIME unless said otherwise.

#ifndef EPITAPH_SIGNALS_STOP_SIGNAL_H
#define EPITAPH_SIGNALS_STOP_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// In the order in which they are asked whether a signal is theirs.
typedef enum epitaph_stop_signal_user {
    EPITAPH_STOP_SIGNAL_LIVE,
    EPITAPH_STOP_SIGNAL_THREADS,
    EPITAPH_STOP_SIGNAL_OFFERS,
    EPITAPH_STOP_SIGNAL_USER_COUNT,
} epitaph_stop_signal_user;

/// Returns whether the signal was meant for this user. Called with all signals blocked except
/// faults.
typedef bool (*epitaph_stop_signal_handler)(const siginfo_t *info, ucontext_t *context);

/// ANY-TIME. From now on `handler` is called for each stop signal. False if the kernel refuses, or
/// if no handler of ours was ever installed.
bool epitaph_stop_signal_take(epitaph_stop_signal_user user, epitaph_stop_signal_handler handler);

/// ANY-TIME. Only allowed if none of this user's signals can still be pending: the action of the
/// program may be to die.
void epitaph_stop_signal_give_back(epitaph_stop_signal_user user);

/// The `si_value` of a timer whose signals go to the handler below.
const void *epitaph_stop_signal_timer_value(void);

/// From now on `handler` is called, before any user, for the signals of timers with that value. Its
/// result is ignored.
void epitaph_stop_signal_set_timer_handler(epitaph_stop_signal_handler handler);

#pragma GCC visibility pop

#endif
