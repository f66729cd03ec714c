// SPDX-License-Identifier: Apache-2.0
//
// A hash table of all eight-byte windows, behind a filter of all four-byte parts.

#include "epitaph_text_index.h"

#include "system/bytes.h"

enum {
    FEWEST_BITS = 8,
    FEWEST_FILTER_WORDS = 64,
    /// Half a mebibyte. Above, lookups would wait for memory.
    MOST_FILTER_WORDS = 1 << 16,
    /// Bounds the cost of texts crafted to collide.
    PROBE_LIMIT = 64,
};

/// 2^64 divided by the golden ratio: Knuth, The Art of Computer Programming 3, 6.4.
static const uint64_t multiplier = 0x9e3779b97f4a7c15;

static uint64_t load(const uint8_t *bytes) {
    uint64_t window;
    __builtin_memcpy(&window, bytes, sizeof window);
    return window;
}

static uint32_t bits_for(uint32_t windows) {
    uint32_t bits = FEWEST_BITS;
    // At most half full: most searches end at the first entry.
    while (bits < 31 && 1u << bits < 2 * windows)
        bits++;
    return bits;
}

uint32_t epitaph_text_index_entries(uint32_t windows) {
    return 1u << bits_for(windows);
}

uint32_t epitaph_text_filter_words(uint32_t windows) {
    uint32_t words = FEWEST_FILTER_WORDS;
    // One for each window, so that other bytes rarely hit one.
    while (words < MOST_FILTER_WORDS && words < windows)
        words *= 2;
    return words;
}

static void filter_begin(epitaph_text_index *index, uint32_t words) {
    while (words > FEWEST_FILTER_WORDS && words > index->filter_limit)
        words /= 2;
    index->filter.last = words - 1;
    epitaph_bytes_zero(index->filter.words, words * sizeof *index->filter.words);
}

void epitaph_text_index_begin(epitaph_text_index *index, uint32_t windows) {
    uint32_t bits = bits_for(windows);
    while (bits > FEWEST_BITS && 1u << bits > index->table_limit)
        bits--;
    index->table_bits = bits;
    index->lost_count = 0;
    epitaph_bytes_zero(index->table, sizeof *index->table << bits);
    filter_begin(index, epitaph_text_filter_words(windows));
}

void epitaph_text_index_join(epitaph_text_index *late, const epitaph_text_index *known) {
    if (known->text_bytes == 0) return;
    uint32_t more = known->filter.last > late->filter.last ? known->filter.last : late->filter.last;
    filter_begin(late, more + 1);
    // The lower bits of a word's number are its number in a smaller filter.
    for (uint32_t i = 0; i <= more; i++)
        late->filter.words[i & late->filter.last] |= known->filter.words[i & known->filter.last];
}

static uint32_t place_of(const epitaph_text_index *index, uint64_t window) {
    return (uint32_t)(window * multiplier >> (64 - index->table_bits));
}

/// Whether two consecutive bytes are zero, as in user-space addresses.
static bool may_be_address(uint64_t window) {
    uint64_t zeros = epitaph_zero_bytes(window);
    return (zeros & zeros >> 8) != 0;
}

/// Enters all parts of a window: its place in memory decides which one is looked up.
static void enter_grams(const epitaph_text_filter *filter, uint64_t window) {
    for (uint32_t i = 0; i <= EPITAPH_TEXT_WINDOW - EPITAPH_TEXT_GRAM; i++) {
        uint32_t hash = (uint32_t)(window >> (8 * i)) * epitaph_text_filter_multiplier;
        filter->words[epitaph_text_filter_place(filter, hash)] |= 1ull << (hash & 63);
    }
}

static void enter(epitaph_text_index *index, uint32_t at) {
    uint64_t window = load(index->text + at);
    if (may_be_address(window)) return;
    enter_grams(&index->filter, window);
    uint32_t mask = (1u << index->table_bits) - 1;
    uint32_t place = place_of(index, window);
    for (uint32_t i = 0; i < PROBE_LIMIT; i++) {
        uint32_t *entry = &index->table[(place + i) & mask];
        if (*entry == 0) {
            *entry = at + 1;
            return;
        }
        if (load(index->text + *entry - 1) == window) return;
    }
    index->lost_count++;
}

void epitaph_text_index_enter(epitaph_text_index *index, uint32_t start, uint32_t end) {
    for (uint32_t at = start; at + EPITAPH_TEXT_WINDOW <= end; at++)
        enter(index, at);
}

/// 1 + the window's first place in the text; 0 if absent.
static uint32_t find(const epitaph_text_index *index, uint64_t window) {
    if (index->text_bytes == 0) return 0;
    uint32_t mask = (1u << index->table_bits) - 1;
    uint32_t place = place_of(index, window);
    for (uint32_t i = 0; i < PROBE_LIMIT; i++) {
        uint32_t entry = index->table[(place + i) & mask];
        if (entry == 0 || load(index->text + entry - 1) == window) return entry;
    }
    return 0;
}

epitaph_text_search epitaph_text_search_of(const epitaph_text_index *known,
                                           const epitaph_text_index *late) {
    const epitaph_text_index *all[] = {known, late};
    epitaph_text_search search;
    search.count = 0;
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i] == NULL || all[i]->text_bytes == 0) continue;
        // The last one's: it has joined the other.
        search.filter = all[i]->filter;
        search.indexes[search.count++] = all[i];
    }
    return search;
}

bool epitaph_text_search_has(const epitaph_text_search *search, uint64_t window) {
    // Both halves first: they are close, the tables are not.
    uint64_t may_have = epitaph_text_filter_bit(&search->filter, (uint32_t)window) &
                        epitaph_text_filter_bit(&search->filter, (uint32_t)(window >> 32));
    if ((may_have & 1) == 0) return false;
    for (uint32_t i = 0; i < search->count; i++) {
        if (find(search->indexes[i], window) != 0) return true;
    }
    return false;
}

bool epitaph_text_index_holds(const epitaph_text_index *index, const void *bytes, size_t count) {
    if (count < EPITAPH_TEXT_WINDOW) return false;
    const uint8_t *wanted = bytes;
    uint32_t found = find(index, load(wanted));
    if (found == 0 || count > index->text_bytes - (found - 1)) return false;
    const uint8_t *text = index->text + found - 1;
    for (size_t i = 0; i < count; i++) {
        if (text[i] != wanted[i]) return false;
    }
    return true;
}
