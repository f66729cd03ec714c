// SPDX-License-Identifier: Apache-2.0
//
// Pieces of memory to write: pointed to by threads, or registered by the program. CRASH-TIME.

#ifndef EPITAPH_REGIONS_REGIONS_H
#define EPITAPH_REGIONS_REGIONS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

// State: pieces to be written, and those already in the dump.

enum {
    EPITAPH_REGION_LIMIT = 1536,
    /// Memory is cut into granules, so that one table records what is in the dump.
    EPITAPH_REGION_GRANULE = 64,
    EPITAPH_SEEN_SIZE = 1 << 16,
    EPITAPH_SEEN_LIMIT = EPITAPH_SEEN_SIZE / 4 * 3,
    EPITAPH_FIRST_SEEN_SIZE = 1 << 10,
    EPITAPH_FIRST_SEEN_LIMIT = EPITAPH_FIRST_SEEN_SIZE / 4 * 3,
};

typedef struct epitaph_regions {
    /// Left of the budgets of all threads and of the current one.
    uint64_t bytes_left;
    uint64_t thread_bytes_left;
    bool is_cut;
    /// A piece that does not fit is not damage.
    bool is_optional;
    /// The part of the current thread's stack in the dump.
    epitaph_range own_stack;
    uint32_t count;
    uint32_t seen_count;
    uint32_t registered_count;
    epitaph_range registered[EPITAPH_REGISTERED_MEMORY_LIMIT];
    /// 1 + granule numbers in the dump, as a hash table; 0 is free. The first of them, all that
    /// most crashes have, are in a small table: a page touched for the first time takes a
    /// microsecond.
    uint64_t first_seen[EPITAPH_FIRST_SEEN_SIZE];
    epitaph_range entries[EPITAPH_REGION_LIMIT];
    uint64_t seen[EPITAPH_SEEN_SIZE];
} epitaph_regions;

// Collected per thread, each byte once per dump, then read and written together.

void epitaph_regions_begin(epitaph_capture *capture);

void epitaph_regions_begin_thread(epitaph_capture *capture, epitaph_range stack,
                                  uint64_t bytes_limit);

/// Requests `count` bytes, `before` of them below `pointer`. Leaves out bytes outside the pointer's
/// mapping, in separately dumped stacks, in registered memory, in arguments and environment, on
/// absent pages, and already in the dump. False if a budget was used up first.
bool epitaph_regions_add(epitaph_capture *capture, uint64_t pointer, uint64_t before,
                         uint64_t count);

void epitaph_regions_write(epitaph_capture *capture);

void epitaph_registered_memory_write(epitaph_capture *capture);

void epitaph_registered_memory_collect(epitaph_capture *capture);

/// Writes the resident parts of a big range as entries of the open array `key`. Missing parts are
/// one damage entry, with `subject` or, if that is 0, their own address.
void epitaph_present_parts_write(epitaph_capture *capture, epitaph_dump_key key,
                                 epitaph_range range, uint64_t subject);

#pragma GCC visibility pop

#endif
