// SPDX-License-Identifier: Apache-2.0
//
// The search for texts in memory, against the plain rule: eight bytes in a row, none of them zero,
// that a text has in a row. These ways do not die: they exit, with 1 and a word if the two differ.

#include "ways.h"

#include <epitaph_text_index.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    MANY_PLACEMENTS = 1000000,
    FEW_PLACEMENTS = 30000,
    PLACEMENTS_AT_ONCE = 8,
    ROUNDS_OF_A_TEXT = 250,
    TEXT_LIMIT = 2048,
    MEMORY_LIMIT = 400,
    ENTRIES = 2 * TEXT_LIMIT,
    FILTER_WORDS = TEXT_LIMIT,
};

typedef struct text {
    uint8_t bytes[TEXT_LIMIT];
    uint32_t table[ENTRIES];
    uint64_t filter[FILTER_WORDS];
    epitaph_text_index index;
} text;

static text texts[2];
static uint64_t windows[2 * TEXT_LIMIT];
static uint32_t window_count;
static uint64_t state = 0x9e3779b97f4a7c15;

/// Below `limit`; the same numbers in every run: Marsaglia, Xorshift RNGs, 2003.
static uint32_t below(uint32_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % limit;
}

static uint64_t window_at(const uint8_t *bytes) {
    uint64_t window;
    memcpy(&window, bytes, sizeof window);
    return window;
}

static int compare(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/// The plain rule.
static bool is_run(const uint8_t *bytes) {
    uint64_t window = window_at(bytes);
    if (memchr(bytes, 0, sizeof window) != NULL) return false;
    return bsearch(&window, windows, window_count, sizeof *windows, compare) != NULL;
}

/// A byte of one of five kinds: the fewer letters, the more parts of a text are elsewhere, too.
static uint8_t letter(uint32_t kind) {
    if (kind == 0) return (uint8_t)('a' + below(2));
    if (kind == 1) return (uint8_t)('a' + below(20));
    if (kind == 2) return (uint8_t)(1 + below(255));
    return (uint8_t)(below(kind == 3 ? 20 : 2) == 0 ? 0 : 'a' + below(4));
}

static void make_text(text *text, uint32_t count) {
    uint32_t kind = below(4);
    memset(&text->index, 0, sizeof text->index);
    for (uint32_t i = 0; i < count; i++)
        text->bytes[i] = letter(kind);
    text->index.text = text->bytes;
    text->index.text_limit = TEXT_LIMIT;
    text->index.text_bytes = count;
    text->index.table = text->table;
    text->index.table_limit = ENTRIES;
    text->index.filter.words = text->filter;
    text->index.filter_limit = FILTER_WORDS;
    epitaph_text_index_begin(&text->index, count);
    for (uint32_t i = 0; i + sizeof *windows <= count; i++)
        windows[window_count++] = window_at(text->bytes + i);
}

/// Of the shortest length that can be found, of a few, or long ones.
static uint32_t random_length(void) {
    uint32_t kind = below(4);
    return kind == 0 ? EPITAPH_TEXT_WINDOW : EPITAPH_TEXT_WINDOW + below(kind == 1 ? 1000 : 100);
}

static epitaph_text_search make_search(void) {
    window_count = 0;
    make_text(&texts[0], below(8) == 0 ? 0 : random_length());
    make_text(&texts[1], below(2) == 0 ? 0 : random_length());
    epitaph_text_index_enter(&texts[0].index, 0, texts[0].index.text_bytes);
    epitaph_text_index_join(&texts[1].index, &texts[0].index);
    epitaph_text_index_enter(&texts[1].index, 0, texts[1].index.text_bytes);
    qsort(windows, window_count, sizeof *windows, compare);
    return epitaph_text_search_of(&texts[0].index, &texts[1].index);
}

/// Parts of a text anywhere, also over each other and cut at the ends.
static void place_parts(uint8_t *bytes, uint32_t count) {
    for (int i = 0; i < PLACEMENTS_AT_ONCE; i++) {
        const epitaph_text_index *index = &texts[below(2)].index;
        if (index->text_bytes == 0) continue;
        uint32_t from = below(index->text_bytes);
        uint32_t length = below(4) == 0 ? 1 + below(40) : EPITAPH_TEXT_WINDOW;
        uint32_t at = below(count + EPITAPH_TEXT_WINDOW);
        for (uint32_t j = 0; j < length && from + j < index->text_bytes; j++) {
            uint32_t place = at + j - EPITAPH_TEXT_WINDOW;
            if (at + j >= EPITAPH_TEXT_WINDOW && place < count) {
                bytes[place] = index->text[from + j];
            }
        }
    }
}

static void check(const epitaph_text_search *search, const uint8_t *bytes, uint32_t count) {
    uint64_t found = epitaph_text_run_find(search, bytes, 0, count);
    for (uint32_t at = 0; at < count; at++) {
        bool is_one = at + EPITAPH_TEXT_WINDOW <= count && is_run(bytes + at);
        if (is_one != (found == at)) {
            fprintf(stderr, "%s at %u of %u bytes\n", is_one ? "missed" : "imagined", at, count);
            _exit(1);
        }
        if (found == at) found = epitaph_text_run_find(search, bytes, at + 1, count);
    }
    if (found != count) _exit(2);
}

/// Memory that begins or ends at a page nobody may read.
static void compare_placements(int placements) {
    uint8_t *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) _exit(71);
    if (mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) != 0) _exit(71);
    epitaph_text_search search = make_search();
    uint64_t runs = 0;
    for (int round = 1; round <= placements / PLACEMENTS_AT_ONCE; round++) {
        if (round % ROUNDS_OF_A_TEXT == 0) search = make_search();
        uint32_t count = 1 + below(MEMORY_LIMIT);
        uint8_t *bytes = pages + (below(2) == 0 ? PAGE : 2 * PAGE - count);
        uint32_t kind = below(6);
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = kind == 5 ? 0 : letter(kind);
        place_parts(bytes, count);
        check(&search, bytes, count);
        runs += epitaph_text_run_find(&search, bytes, 0, count) < count;
    }
    // Half of them at least, or this has tried nothing.
    _exit(runs * 2 * PLACEMENTS_AT_ONCE > (uint64_t)placements ? 0 : 3);
}

static void compare_many(void) {
    compare_placements(MANY_PLACEMENTS);
}

static void compare_few(void) {
    compare_placements(FEW_PLACEMENTS);
}

const way text_search_ways[] = {
    {"text-search", compare_many}, {"text-search-briefly", compare_few}, {NULL, NULL}};
