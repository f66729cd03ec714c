// SPDX-License-Identifier: Apache-2.0
//
// Makes the page of what a forked child must not inherit, and has the locks in it. QUIET-TIME.

#ifndef EPITAPH_BASE_PROCESS_LOCKS_H
#define EPITAPH_BASE_PROCESS_LOCKS_H

#include "epitaph_process_page.h"

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Makes the page at the first call. Never NULL: if no page can be mapped it is
/// ordinary memory that is cleared only by fork(3).
epitaph_process_page *epitaph_process_page_get(void);

/// QUIET-TIME. Take and release one of the locks, which are not recursive.
void epitaph_process_lock_take(epitaph_process_lock lock);

void epitaph_process_lock_give(epitaph_process_lock lock);

#pragma GCC visibility pop

#endif
