// SPDX-License-Identifier: Apache-2.0
//
// A range of addresses.

#ifndef EPITAPH_SYSTEM_RANGE_H
#define EPITAPH_SYSTEM_RANGE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// From `start` up to, but not including, `end`.
typedef struct epitaph_range {
    uint64_t start;
    uint64_t end;
} epitaph_range;

/// Ends `range` after `limit` bytes if it is longer.
static inline void epitaph_range_clip(epitaph_range *range, uint64_t limit) {
    if (range->end - range->start > limit) range->end = range->start + limit;
}

#pragma GCC visibility pop

#endif
