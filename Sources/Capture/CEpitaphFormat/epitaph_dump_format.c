// SPDX-License-Identifier: Apache-2.0
//
// The tables of epitaph_dump_format.h as data.

#include "epitaph_dump_format.h"

#include <stddef.h>

#define EPITAPH_KEY_ROW(name, number, type) {#name, number, EPITAPH_TYPE_##type, #type},
static const epitaph_dump_key_row key_rows[] = {EPITAPH_DUMP_KEYS(EPITAPH_KEY_ROW)};
#undef EPITAPH_KEY_ROW

static const epitaph_dump_key_row no_row = {NULL, 0, EPITAPH_TYPE_BYTES, NULL};
static const uint32_t key_row_count = sizeof key_rows / sizeof key_rows[0];

epitaph_dump_key_row epitaph_dump_key_row_at(uint32_t index) {
    return index < key_row_count ? key_rows[index] : no_row;
}

#define EPITAPH_WHY_CASE(name, number, words) \
    case number: return words;
const char *epitaph_dump_why_words(uint32_t why) {
    switch (why) {
        EPITAPH_DUMP_WHYS(EPITAPH_WHY_CASE)
    default: return NULL;
    }
}
#undef EPITAPH_WHY_CASE
