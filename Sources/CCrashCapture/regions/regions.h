// SPDX-License-Identifier: Apache-2.0
//
// Pieces of memory on their way into the dump: collected for one thread, each byte at most once in
// a dump, then read and written together. CRASH-TIME.

#ifndef EPITAPH_REGIONS_REGIONS_H
#define EPITAPH_REGIONS_REGIONS_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Forgets an earlier capture.
void epitaph_regions_begin(epitaph_capture *capture);

/// Begins with a thread that may have `bytes_limit` bytes of memory besides its stack.
void epitaph_regions_begin_thread(epitaph_capture *capture, epitaph_range stack,
                                  uint64_t bytes_limit);

/// Wants `count` bytes, `before` of them below `pointer`. Left out are bytes outside the pointer's
/// mapping, in a stack that has its own place in the dump, in memory the program registered, in the
/// arguments and the environment, on pages that are not in memory, and what is in the dump already.
/// False when a budget was used up before everything was taken.
bool epitaph_regions_add(epitaph_capture *capture, uint64_t pointer, uint64_t before,
                         uint64_t count);

/// Writes what was wanted as entries of an open array of memory regions.
void epitaph_regions_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
