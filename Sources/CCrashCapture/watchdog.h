// SPDX-License-Identifier: Apache-2.0
//
// The deadline of a capture: a timer that interrupts the capturing thread. CRASH-TIME.

#ifndef EPITAPH_WATCHDOG_H
#define EPITAPH_WATCHDOG_H

#include "capture.h"

#pragma GCC visibility push(hidden)

/// Starts the timer, which goes off after `timeout_ns`. Its signal is the stop signal, which must
/// have its handler already.
void epitaph_watchdog_start(epitaph_capture *capture, uint64_t timeout_ns);
void epitaph_watchdog_stop(epitaph_capture *capture);

/// Whether the signal is the watchdog's, and no timer of the program's.
bool epitaph_watchdog_sent(const siginfo_t *info);

/// For the stop signal's handler, on the capturing thread: the time is over.
void epitaph_watchdog_bark(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
