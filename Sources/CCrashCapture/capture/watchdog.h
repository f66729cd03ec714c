// SPDX-License-Identifier: Apache-2.0
//
// The deadline of a capture: a timer that interrupts the capturing thread. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_WATCHDOG_H
#define EPITAPH_CAPTURE_WATCHDOG_H

#include "capture/capture.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Starts the timer, which fires after `timeout_ns`. Its signal is the stop signal, whose handler
/// must already be installed.
void epitaph_watchdog_start(epitaph_capture *capture, uint64_t timeout_ns);
void epitaph_watchdog_stop(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
