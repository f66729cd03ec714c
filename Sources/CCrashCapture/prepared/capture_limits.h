// SPDX-License-Identifier: Apache-2.0
//
// Copies the limits for a capture. CRASH-TIME.

#ifndef EPITAPH_PREPARED_CAPTURE_LIMITS_H
#define EPITAPH_PREPARED_CAPTURE_LIMITS_H

#pragma GCC visibility push(hidden)

/// Copies the limits that were set last.
void epitaph_limits_load(void);

#pragma GCC visibility pop

#endif
