// SPDX-License-Identifier: Apache-2.0
//
// Pieces of memory to be written: those that threads point to, and those that the program
// registered. CRASH-TIME.

#ifndef EPITAPH_REGIONS_REGIONS_H
#define EPITAPH_REGIONS_REGIONS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

// The state of regions.c: pieces of memory to be written, and which are already in the dump.

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
    /// The parts of registered memory that will be in the dump.
    uint32_t registered_count;
    epitaph_range registered[EPITAPH_REGISTERED_MEMORY_LIMIT];
} epitaph_regions;

// Pieces of memory to be written: collected for one thread, each byte at most once in a dump, then
// read and written together.

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

// Memory the program asked to have in its dumps: the MEMORY_REGIONS section.

void epitaph_registered_memory_write(epitaph_capture *capture);

/// Determines which registered memory will be in the dump.
void epitaph_registered_memory_collect(epitaph_capture *capture);

// Big ranges of memory; only their resident pages are written.

/// Writes the resident parts of a big range as entries of an open array `key`. What is missing is
/// damage, one entry for all of it: with `subject`, or with its own address if that is 0.
void epitaph_present_parts_write(epitaph_capture *capture, epitaph_dump_key key,
                                 epitaph_range range, uint64_t subject);

#pragma GCC visibility pop

#endif
