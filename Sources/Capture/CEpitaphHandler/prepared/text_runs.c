// SPDX-License-Identifier: Apache-2.0
//
// Finds where a run of a text begins in memory. Most blocks are addresses, small numbers and zeros,
// and cost five vector loads. In others every fifth gram is looked up: each window contains one.

#include "epitaph_text_index.h"

enum {
    STRIDE = EPITAPH_TEXT_WINDOW - EPITAPH_TEXT_GRAM + 1,
    /// Samples that are looked up together: one branch for all is nearly always predicted.
    SAMPLES = 8,
    GROUP = SAMPLES * STRIDE,
    /// Whole words, so that their highest bytes are at the same places in each.
    BLOCK = 2 * GROUP,
    /// Where the windows end that begin in a block.
    REACH = BLOCK + EPITAPH_TEXT_WINDOW - 1,
    VECTOR = 16,
};

/// SSE2 or NEON, at any address.
typedef uint64_t vector __attribute__((vector_size(VECTOR), aligned(1), may_alias));

/// Whether every eighth byte is zero, so that no window that begins in the block is without one.
static bool is_quiet(const uint8_t *block) {
    const vector *part = (const vector *)block;
    vector any = part[0] | part[1] | part[2] | part[3] | part[4];
    return (any[0] | any[1]) >> 56 == 0;
}

static inline uint64_t look_up(const epitaph_text_filter *filter, const uint8_t *bytes) {
    uint32_t gram;
    __builtin_memcpy(&gram, bytes, sizeof gram);
    return epitaph_text_filter_bit(filter, gram);
}

static inline __attribute__((always_inline)) uint64_t
look_up_four(const epitaph_text_filter *filter, const uint8_t *sample) {
    return look_up(filter, sample) | look_up(filter, sample + STRIDE) |
           look_up(filter, sample + 2 * STRIDE) | look_up(filter, sample + 3 * STRIDE);
}

/// The sample in the window that begins with a group's first byte. The windows of a group contain
/// no samples but its own.
static const uint8_t *first_sample(const uint8_t *group) {
    return group + STRIDE - 1;
}

static bool is_run(const epitaph_text_search *search, const uint8_t *bytes) {
    uint64_t window;
    __builtin_memcpy(&window, bytes, sizeof window);
    return epitaph_zero_bytes(window) == 0 && epitaph_text_search_has(search, window);
}

/// The first run of those that contain the sample; NULL: none.
static const uint8_t *find_around(const epitaph_text_search *search, const uint8_t *sample) {
    const uint8_t *first = sample - (STRIDE - 1);
    uint32_t grams = 0;
    for (uint32_t i = 0; i < 2 * STRIDE - 1; i++)
        grams |= (uint32_t)(look_up(&search->filter, first + i) & 1) << i;
    // All five grams of a window have to be there.
    uint32_t windows = grams & grams >> 1 & grams >> 2 & grams >> 3 & grams >> 4;
    for (; windows != 0; windows &= windows - 1) {
        const uint8_t *window = first + __builtin_ctz(windows);
        if (is_run(search, window)) return window;
    }
    return NULL;
}

static const uint8_t *find_in_group(const epitaph_text_search *search, const uint8_t *group) {
    const uint8_t *sample = first_sample(group);
    uint64_t any =
        look_up_four(&search->filter, sample) | look_up_four(&search->filter, sample + 4 * STRIDE);
    if (__builtin_expect((any & 1) == 0, 1)) return NULL;
    for (int i = 0; i < SAMPLES; i++, sample += STRIDE) {
        if ((look_up(&search->filter, sample) & 1) == 0) continue;
        const uint8_t *run = find_around(search, sample);
        if (run != NULL) return run;
    }
    return NULL;
}

uint64_t epitaph_text_run_find(const epitaph_text_search *search, const uint8_t *bytes,
                               uint64_t first, uint64_t count) {
    if (search->count == 0) return count;
    uint64_t at = first;
    for (; at + REACH <= count; at += BLOCK) {
        if (is_quiet(bytes + at)) continue;
        for (uint64_t group = at; group < at + BLOCK; group += GROUP) {
            const uint8_t *run = find_in_group(search, bytes + group);
            if (run != NULL) return (uint64_t)(run - bytes);
        }
    }
    for (; at + EPITAPH_TEXT_WINDOW <= count; at++) {
        if (is_run(search, bytes + at)) return at;
    }
    return count;
}
