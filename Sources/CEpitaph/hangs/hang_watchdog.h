// SPDX-License-Identifier: Apache-2.0
//
// The thread that watches heartbeats. QUIET-TIME.

#ifndef EPITAPH_HANGS_HANG_WATCHDOG_H
#define EPITAPH_HANGS_HANG_WATCHDOG_H

#pragma GCC visibility push(hidden)

/// Ends the watching thread. Dumps of ongoing hangs become reports, and all heartbeats end. Does
/// nothing if nothing is watched.
void epitaph_hangs_stop(void);

#pragma GCC visibility pop

#endif
