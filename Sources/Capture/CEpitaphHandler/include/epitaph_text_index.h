// SPDX-License-Identifier: Apache-2.0
//
// Searches memory for texts that must stay out of dumps. ANY-TIME.

#ifndef EPITAPH_TEXT_INDEX_H
#define EPITAPH_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// An index of every eight-byte window of the texts, so that one table lookup finds any part of them
// in memory. Filled at quiet time or in a crash; searching only loads our own memory.

enum {
    /// Unit of the search. Shorter parts of a text are too common in other memory.
    EPITAPH_TEXT_WINDOW = 8,
    /// Unit of the filter.
    EPITAPH_TEXT_GRAM = 4,
};

/// By hash of each four consecutive bytes, to rule out most memory quickly. 64-bit words, whose
/// number is a power of two. A word is chosen by all four bytes, its bit by the first.
typedef struct epitaph_text_filter {
    uint64_t *words;
    /// The highest number of a word.
    uint32_t last;
} epitaph_text_filter;

typedef struct epitaph_text_index {
    /// The concatenated texts, in the owner's memory of `text_limit` bytes.
    uint8_t *text;
    uint32_t text_limit;
    uint32_t text_bytes;
    /// Hash table of 1 + a window's place in `text`; 0 is free. Has room for `table_limit` entries;
    /// 2 to the power of `table_bits` are in use.
    uint32_t *table;
    uint32_t table_limit;
    uint32_t table_bits;
    /// Has room for `filter_limit` words.
    epitaph_text_filter filter;
    uint32_t filter_limit;
    /// Windows without room in the table; they will not be found.
    uint32_t lost_count;
} epitaph_text_index;

uint32_t epitaph_text_index_entries(uint32_t windows);

uint32_t epitaph_text_filter_words(uint32_t windows);

/// Empties the table and sizes it for so many windows, within its memory.
void epitaph_text_index_begin(epitaph_text_index *index, uint32_t windows);

/// Adds the windows wholly inside the text from `start` up to `end`. Leaves out windows with two
/// consecutive zero bytes, which could be part of an address.
void epitaph_text_index_enter(epitaph_text_index *index, uint32_t start, uint32_t end);

/// Lets the filter of `late`, which has begun, let through what that of `known` does.
void epitaph_text_index_join(epitaph_text_index *late, const epitaph_text_index *known);

/// Bit 7 of each byte of `word` that is zero.
static inline uint64_t epitaph_zero_bytes(uint64_t word) {
    // Hacker's Delight 6-1.
    const uint64_t low_bits = 0x7f7f7f7f7f7f7f7f;
    return ~(((word & low_bits) + low_bits) | word | low_bits);
}

/// 2^32 divided by the golden ratio, as for the windows.
static const uint32_t epitaph_text_filter_multiplier = 0x9e3779b1;

/// A shift by a constant and a mask take less than a shift by a variable.
static inline uint32_t epitaph_text_filter_place(const epitaph_text_filter *filter, uint32_t hash) {
    return hash >> 16 & filter->last;
}

/// Bit 0: whether the four bytes, lowest first, may be in a text. The other bits mean nothing.
static inline uint64_t epitaph_text_filter_bit(const epitaph_text_filter *filter, uint32_t gram) {
    uint32_t hash = gram * epitaph_text_filter_multiplier;
    return filter->words[epitaph_text_filter_place(filter, hash)] >> (hash & 63);
}

/// One or two indexes, searched together behind one filter.
typedef struct epitaph_text_search {
    epitaph_text_filter filter;
    uint32_t count;
    const epitaph_text_index *indexes[2];
} epitaph_text_search;

/// Either may be NULL or empty. If both have a text, `late` has joined `known`.
epitaph_text_search epitaph_text_search_of(const epitaph_text_index *known,
                                           const epitaph_text_index *late);

/// Whether the eight bytes, lowest first, are in one of the texts.
bool epitaph_text_search_has(const epitaph_text_search *search, uint64_t window);

/// The first place from `first` on at which a run begins: eight of the `count` bytes, none of them
/// zero, as no word of an address has them, that are in one of the texts. `count`: there is none.
uint64_t epitaph_text_run_find(const epitaph_text_search *search, const uint8_t *bytes,
                               uint64_t first, uint64_t count);

bool epitaph_text_index_holds(const epitaph_text_index *index, const void *bytes, size_t count);

/// ANY-TIME. Whether the `count` bytes `NAME=value` are no secret, or allowed (`exempt_names`).
bool epitaph_variable_is_exempt(const char *text, size_t count);

#pragma GCC visibility pop

#endif
