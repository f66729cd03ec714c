// SPDX-License-Identifier: Apache-2.0
//
// Pieces of memory to be written: collected for one thread, each byte at most once in a dump, then
// read and written together. CRASH-TIME.

#ifndef EPITAPH_REGIONS_REGIONS_H
#define EPITAPH_REGIONS_REGIONS_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Forgets an earlier capture.
void epitaph_regions_begin(epitaph_capture *capture);

/// Begins a thread that may have `bytes_limit` bytes of memory besides its stack.
void epitaph_regions_begin_thread(epitaph_capture *capture, epitaph_range stack,
                                  uint64_t bytes_limit);

/// Requests `count` bytes, `before` of them below `pointer`. Left out are bytes outside the
/// pointer's mapping, in a stack that is in the dump separately, in memory that the program
/// registered, in the arguments and the environment, on pages that are not resident, and bytes that
/// are already in the dump. False if a budget was used up first.
bool epitaph_regions_add(epitaph_capture *capture, uint64_t pointer, uint64_t before,
                         uint64_t count);

/// Writes the requested pieces as entries of an open array of memory regions.
void epitaph_regions_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
