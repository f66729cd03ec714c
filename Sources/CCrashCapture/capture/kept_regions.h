// SPDX-License-Identifier: Apache-2.0
//
// The state of regions.c: pieces of memory to be written, and which are already in the dump.
// CRASH-TIME.

#ifndef EPITAPH_CAPTURE_KEPT_REGIONS_H
#define EPITAPH_CAPTURE_KEPT_REGIONS_H

#include "system/range.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_REGION_LIMIT = 1536,
    /// Memory is cut into pieces of this size, so that one table can record what is in the dump.
    EPITAPH_REGION_GRANULE = 64,
    EPITAPH_SEEN_SIZE = 1 << 16,
    EPITAPH_SEEN_LIMIT = EPITAPH_SEEN_SIZE / 4 * 3,
};

typedef struct epitaph_regions {
    /// What is left of the budgets of all threads and of the current one.
    uint64_t bytes_left;
    uint64_t thread_bytes_left;
    /// Something was left out because of the budgets.
    bool is_cut;
    /// If what is wanted now does not fit, that is not damage.
    bool is_optional;
    /// The part of the current thread's stack that is in the dump.
    epitaph_range own_stack;
    uint32_t count;
    epitaph_range entries[EPITAPH_REGION_LIMIT];
    uint32_t seen_count;
    /// 1 + the numbers of the granules in the dump, as a hash table; 0 is free.
    uint64_t seen[EPITAPH_SEEN_SIZE];
} epitaph_regions;

#pragma GCC visibility pop

#endif
