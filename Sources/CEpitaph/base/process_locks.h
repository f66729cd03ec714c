// SPDX-License-Identifier: Apache-2.0
//
// The page of what a forked child must not inherit, made, and the locks in it. QUIET-TIME.

#ifndef EPITAPH_BASE_PROCESS_LOCKS_H
#define EPITAPH_BASE_PROCESS_LOCKS_H

#include "epitaph_process_page.h"

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Makes the page at the first call. Never NULL: where no page can be mapped it is
/// ordinary memory that only fork(3) clears.
epitaph_process_page *epitaph_process_page_get(void);

/// QUIET-TIME. Takes and gives back one of the locks, which are not recursive.
void epitaph_process_lock_take(epitaph_process_lock lock);

void epitaph_process_lock_give(epitaph_process_lock lock);

#pragma GCC visibility pop

#endif
