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
};

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
    /// Filter by hash of each four consecutive bytes, to rule out most memory quickly. Has room for
    /// `gram_limit` 64-bit words; 2 to the power of `gram_bits` bits are in use.
    uint64_t *grams;
    uint32_t gram_limit;
    uint32_t gram_bits;
    /// Windows without room in the table; they will not be found.
    uint32_t lost_count;
} epitaph_text_index;

/// Table entries needed for `text_bytes` bytes of text.
uint32_t epitaph_text_index_entries(uint32_t text_bytes);

uint32_t epitaph_text_index_gram_words(uint32_t text_bytes);

/// Empties the table and sizes it for the current text, within its memory.
void epitaph_text_index_begin(epitaph_text_index *index);

/// Adds the windows wholly inside the text from `start` up to `end`. Leaves out windows with two
/// consecutive zero bytes, which could be part of an address.
void epitaph_text_index_enter(epitaph_text_index *index, uint32_t start, uint32_t end);

/// Bit 7 of each byte of `word` that is zero.
static inline uint64_t epitaph_zero_bytes(uint64_t word) {
    // Hacker's Delight 6-1.
    const uint64_t low_bits = 0x7f7f7f7f7f7f7f7f;
    return ~(((word & low_bits) + low_bits) | word | low_bits);
}

/// Whether the four bytes, lowest first, may be in a text. There must be a text.
static inline bool epitaph_text_index_may_have(const epitaph_text_index *index, uint32_t gram) {
    uint32_t bit = gram * 0x9e3779b1u >> (32 - index->gram_bits);
    return (index->grams[bit / 64] >> bit % 64 & 1) != 0;
}

/// Whether the eight bytes, lowest first, are in a text.
bool epitaph_text_index_has(const epitaph_text_index *index, uint64_t window);

/// Whether `count` bytes, at least eight, occur in the texts.
bool epitaph_text_index_holds(const epitaph_text_index *index, const void *bytes, size_t count);

/// ANY-TIME. Whether the `count` bytes `NAME=value` are no secret, or allowed (`exempt_names`).
bool epitaph_variable_is_exempt(const char *text, size_t count);

#pragma GCC visibility pop

#endif
