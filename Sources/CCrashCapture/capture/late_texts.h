// SPDX-License-Identifier: Apache-2.0
//
// The state of private_texts.c: what a crash found in the environment. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_LATE_TEXTS_H
#define EPITAPH_CAPTURE_LATE_TEXTS_H

#include "epitaph_text_index.h"
#include "system/range.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// The most variables that are examined in a crash, and the most bytes of new ones.
    EPITAPH_VARIABLE_LIMIT = 4096,
    EPITAPH_LATE_VARIABLE_LIMIT = 1024,
    EPITAPH_LATE_TEXT_LIMIT = 64 << 10,
    EPITAPH_LATE_TABLE_LIMIT = 1 << 17,
    EPITAPH_LATE_GRAM_LIMIT = 1 << 16,
};

/// What a crash found in the environment.
typedef struct epitaph_private_texts {
    epitaph_text_index late;
    /// The places of variables that are not where the kernel put them, and bounds around all.
    uint32_t count;
    epitaph_range places[EPITAPH_LATE_VARIABLE_LIMIT];
    epitaph_range bounds;
    uint8_t text[EPITAPH_LATE_TEXT_LIMIT];
    uint32_t table[EPITAPH_LATE_TABLE_LIMIT];
    uint64_t grams[EPITAPH_LATE_GRAM_LIMIT];
} epitaph_private_texts;

#pragma GCC visibility pop

#endif
