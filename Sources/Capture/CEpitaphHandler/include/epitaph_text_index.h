// SPDX-License-Identifier: Apache-2.0
//
// The texts that stay out of dumps, searched for quickly, and the variables that are no secrets.
// ANY-TIME.

#ifndef EPITAPH_TEXT_INDEX_H
#define EPITAPH_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Texts and the places of every eight bytes of them, so that memory can be searched for any part of
// any of them with one table lookup. Filled at quiet time or in a crash; searching only loads our
// own memory. ANY-TIME.

enum {
    /// The unit of the search. Shorter parts of a text are too common in other memory.
    EPITAPH_TEXT_WINDOW = 8,
};

typedef struct epitaph_text_index {
    /// The texts, one behind the other, in the owner's memory, which has room for `text_limit`
    /// bytes.
    uint8_t *text;
    uint32_t text_limit;
    uint32_t text_bytes;
    /// 1 + the place of a window in `text`, as a hash table; 0 is free. Room for `table_limit`
    /// entries, of which 2 to the `table_bits` are in use.
    uint32_t *table;
    uint32_t table_limit;
    uint32_t table_bits;
    /// A bit for each four consecutive bytes of the texts, found by hash, to rule out most memory
    /// quickly: room for `gram_limit` words of 64 bits, of which 2 to the `gram_bits` bits are in
    /// use.
    uint64_t *grams;
    uint32_t gram_limit;
    uint32_t gram_bits;
    /// Windows for which there was no room: their bytes will not be found.
    uint32_t lost_count;
} epitaph_text_index;

/// How many entries a table for `text_bytes` bytes of text needs.
uint32_t epitaph_text_index_entries(uint32_t text_bytes);

/// How many words of 64 bits the bits need.
uint32_t epitaph_text_index_gram_words(uint32_t text_bytes);

/// Empties the table and sizes it for the current text, as far as its memory allows.
void epitaph_text_index_begin(epitaph_text_index *index);

/// Adds the windows that are wholly inside the text from `start` up to `end`. Windows with two
/// consecutive zero bytes are left out, because they could be part of an address.
void epitaph_text_index_enter(epitaph_text_index *index, uint32_t start, uint32_t end);

/// Bit 7 of each byte of `word` that is zero.
static inline uint64_t epitaph_zero_bytes(uint64_t word) {
    // Hacker's Delight 6-1.
    const uint64_t low_bits = 0x7f7f7f7f7f7f7f7f;
    return ~(((word & low_bits) + low_bits) | word | low_bits);
}

/// Whether the four bytes, the first the lowest, may be in one of the texts. There must be a text.
static inline bool epitaph_text_index_may_have(const epitaph_text_index *index, uint32_t gram) {
    uint32_t bit = gram * 0x9e3779b1u >> (32 - index->gram_bits);
    return (index->grams[bit / 64] >> bit % 64 & 1) != 0;
}

/// Whether the eight bytes, the first the lowest, are in one of the texts.
bool epitaph_text_index_has(const epitaph_text_index *index, uint64_t window);

/// Whether `count` bytes, at least eight, occur in the texts as they are.
bool epitaph_text_index_holds(const epitaph_text_index *index, const void *bytes, size_t count);

// Environment variables whose values are no secret, or may be in dumps.

/// ANY-TIME. Whether the variable `NAME=value` of `count` bytes is exempt: its value is no secret,
/// or may be in dumps (`exempt_names`).
bool epitaph_variable_is_exempt(const char *text, size_t count);

#pragma GCC visibility pop

#endif
