// SPDX-License-Identifier: Apache-2.0
//
// Pieces of memory on their way into the dump: collected for one thread, each byte at most once in
// a dump, then read and written together. CRASH-TIME.

#ifndef EPITAPH_REGIONS_H
#define EPITAPH_REGIONS_H

#include "epitaph_dump_format.h"
#include "memory.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_REGION_LIMIT = 1536,
    /// Memory is taken in pieces of this size, so that one table can tell what is in the dump.
    EPITAPH_REGION_GRANULE = 64,
    EPITAPH_SEEN_SIZE = 1 << 16,
    EPITAPH_SEEN_LIMIT = EPITAPH_SEEN_SIZE / 4 * 3,
};

struct epitaph_capture;

typedef struct epitaph_regions {
    /// What the budgets of all threads and of the present one leave.
    uint64_t bytes_left;
    uint64_t thread_bytes_left;
    /// Something was left out because of them.
    bool is_cut;
    /// What is wanted now is not missed when it does not fit.
    bool is_optional;
    /// The present thread's stack as far as it is in the dump.
    epitaph_range own_stack;
    uint32_t count;
    epitaph_range entries[EPITAPH_REGION_LIMIT];
    uint32_t seen_count;
    /// 1 + the numbers of the granules in the dump, found by hash; 0 is free.
    uint64_t seen[EPITAPH_SEEN_SIZE];
} epitaph_regions;

/// Forgets an earlier capture.
void epitaph_regions_begin(struct epitaph_capture *capture);

/// Begins with a thread that may have `bytes_limit` bytes of memory besides its stack.
void epitaph_regions_begin_thread(struct epitaph_capture *capture, epitaph_range stack,
                                  uint64_t bytes_limit);

/// Wants `count` bytes, `before` of them below `pointer`. Left out are bytes outside the pointer's
/// mapping, in a stack that has its own place in the dump, in memory the program registered, in the
/// arguments and the environment, on pages that are not in memory, and what is in the dump already.
/// False when a budget was used up before everything was taken.
bool epitaph_regions_add(struct epitaph_capture *capture, uint64_t pointer, uint64_t before,
                         uint64_t count);

/// Writes what was wanted as entries of an open array of memory regions.
void epitaph_regions_write(struct epitaph_capture *capture);

/// Writes one region of `count` bytes at `bytes`.
void epitaph_region_write(struct epitaph_capture *capture, uint64_t address, const void *bytes,
                          uint64_t count);

/// Writes the parts of a big range that are in memory as entries of an open array `key`. What is
/// missing is damage, one entry for all that is not there: of `subject`, or of its own address when
/// that is 0.
void epitaph_present_parts_write(struct epitaph_capture *capture, epitaph_dump_key key,
                                 epitaph_range range, uint64_t subject);

/// Whether any byte may belong to the arguments and the environment of the program, which lie above
/// the main thread's stack and stay out of dumps.
bool epitaph_range_is_private(const struct epitaph_capture *capture, epitaph_range range);

#pragma GCC visibility pop

#endif
