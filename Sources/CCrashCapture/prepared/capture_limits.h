// SPDX-License-Identifier: Apache-2.0
//
// The limits as a capture takes them over. CRASH-TIME.

#ifndef EPITAPH_PREPARED_CAPTURE_LIMITS_H
#define EPITAPH_PREPARED_CAPTURE_LIMITS_H

#pragma GCC visibility push(hidden)

/// Takes over the limits that were set last.
void epitaph_limits_load(void);

#pragma GCC visibility pop

#endif
