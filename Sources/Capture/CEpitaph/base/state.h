// SPDX-License-Identifier: Apache-2.0
//
// Whether Epitaph is started, and the locks and the page that a forked child must not inherit.
// QUIET-TIME.

#ifndef EPITAPH_BASE_STATE_H
#define EPITAPH_BASE_STATE_H

#include "epitaph_process_page.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Held by every function that starts, stops, or changes what epitaph_start did.
void epitaph_state_lock(void);

void epitaph_state_unlock(void);

bool epitaph_is_started(void);

// The page of what a forked child must not inherit, and the locks in it.

/// QUIET-TIME. Makes the page at the first call. Never NULL: if no page can be mapped it is
/// ordinary memory that is cleared only by fork(3).
epitaph_process_page *epitaph_process_page_get(void);

/// QUIET-TIME. Take and release one of the locks, which are not recursive.
void epitaph_process_lock_take(epitaph_process_lock lock);

void epitaph_process_lock_give(epitaph_process_lock lock);

#pragma GCC visibility pop

#endif
