// SPDX-License-Identifier: Apache-2.0
//
// Whether Epitaph is started. QUIET-TIME.

#ifndef EPITAPH_BASE_STATE_H
#define EPITAPH_BASE_STATE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Held by every function that starts, stops, or changes what epitaph_start did.
void epitaph_state_lock(void);

void epitaph_state_unlock(void);

bool epitaph_is_started(void);

#pragma GCC visibility pop

#endif
