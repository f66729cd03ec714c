// SPDX-License-Identifier: Apache-2.0
//
// Big ranges of memory, of which only resident pages are written. CRASH-TIME.

#ifndef EPITAPH_REGIONS_PRESENT_PARTS_H
#define EPITAPH_REGIONS_PRESENT_PARTS_H

#include "capture/capture.h"
#include "epitaph_dump_format.h"
#include "system/range.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Writes the resident parts of a big range as entries of an open array `key`. What is missing is
/// damage, one entry for all of it: with `subject`, or with its own address if that is 0.
void epitaph_present_parts_write(epitaph_capture *capture, epitaph_dump_key key,
                                 epitaph_range range, uint64_t subject);

#pragma GCC visibility pop

#endif
