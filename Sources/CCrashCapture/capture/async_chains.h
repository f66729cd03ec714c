// SPDX-License-Identifier: Apache-2.0
//
// The state of async_contexts.c: which contexts of Swift tasks are already in the dump. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_ASYNC_CHAINS_H
#define EPITAPH_CAPTURE_ASYNC_CHAINS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_CHAIN_CUT_LIMIT = 8,
    EPITAPH_CONTEXT_TABLE_SIZE = 1 << 13,
    EPITAPH_CONTEXT_TABLE_LIMIT = EPITAPH_CONTEXT_TABLE_SIZE / 4 * 3,
};

/// The callers of Swift tasks, async_contexts.h: of the current thread, and of all threads so far.
typedef struct epitaph_async_chains {
    uint64_t bytes_left;
    uint32_t length;
    /// How many more words may be examined as possible contexts.
    uint32_t looks_left;
    /// Where incomplete chains end.
    uint32_t cut_count;
    uint64_t cuts[EPITAPH_CHAIN_CUT_LIMIT];
    /// The addresses of the contexts of all threads, as a hash table; 0 is free.
    uint32_t seen_count;
    uint64_t seen[EPITAPH_CONTEXT_TABLE_SIZE];
} epitaph_async_chains;

#pragma GCC visibility pop

#endif
