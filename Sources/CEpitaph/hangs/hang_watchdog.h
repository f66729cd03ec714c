// SPDX-License-Identifier: Apache-2.0
//
// The thread that watches heartbeats. QUIET-TIME.

#ifndef EPITAPH_HANGS_HANG_WATCHDOG_H
#define EPITAPH_HANGS_HANG_WATCHDOG_H

#pragma GCC visibility push(hidden)

/// Ends the watching thread. Dumps of what still hangs become reports; every heartbeat ends.
/// Harmless where nothing is watched.
void epitaph_hangs_stop(void);

#pragma GCC visibility pop

#endif
