// SPDX-License-Identifier: Apache-2.0
//
// The option table as data, and lookups.

#include "epitaph_option_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    /// Characters by which a misspelt key may differ.
    LIKENESS_LIMIT = 2,
    LIKENESS_KEY_BYTES = 40,
};

#define KEY_FOR_NOBODY(key) NULL
#define KEY_FOR_CLIENT(key) #key
#define KEY_FOR_PRELOAD(key) #key
#define KEY_FOR_BOTH(key) #key

#define FIELD_ROW(group, field, key, kind, least, most, standard, readers, meaning) \
    {EPITAPH_OPTION_##group,                                                        \
     #field,                                                                        \
     KEY_FOR_##readers(key),                                                        \
     EPITAPH_OPTION_##kind,                                                         \
     least,                                                                         \
     most,                                                                          \
     standard,                                                                      \
     EPITAPH_OPTION_FOR_##readers,                                                  \
     meaning},
#define LIMIT(...) FIELD_ROW(LIMIT, __VA_ARGS__)
#define START_LIMIT(...) FIELD_ROW(START_LIMIT, __VA_ARGS__)
#define START(...) FIELD_ROW(START, __VA_ARGS__)
#define KEY_ROW(key, kind, standard, readers, meaning) \
    {EPITAPH_OPTION_KEY, NULL, #key, kind, 0, 1, standard, EPITAPH_OPTION_FOR_##readers, meaning},
#define PLAIN(key, kind, ...) KEY_ROW(key, EPITAPH_OPTION_##kind, __VA_ARGS__)
#define CLIENT(key) KEY_ROW(key, EPITAPH_OPTION_OTHER, 0, CLIENT, NULL)
#define VARIABLE(key) KEY_ROW(key, EPITAPH_OPTION_OTHER, 0, NOBODY, NULL)

static const epitaph_option_row rows[] = {
    EPITAPH_LIMITS(LIMIT) EPITAPH_START_LIMITS(START_LIMIT) EPITAPH_START_OPTIONS(START)
        EPITAPH_PLAIN_KEYS(PLAIN) EPITAPH_CLIENT_KEYS(CLIENT) EPITAPH_VARIABLE_KEYS(VARIABLE)};
_Static_assert(sizeof rows / sizeof *rows == EPITAPH_OPTION_ROW_COUNT, "all rows are counted");

const epitaph_option_row *epitaph_option_rows(size_t *count) {
    *count = EPITAPH_OPTION_ROW_COUNT;
    return rows;
}

const epitaph_option_row *epitaph_option_of_field(const char *field) {
    for (int i = 0; i < EPITAPH_OPTION_FIELD_COUNT; i++) {
        if (strcmp(rows[i].field, field) == 0) return &rows[i];
    }
    return NULL;
}

const epitaph_option_row *epitaph_option_of_key(const char *key) {
    for (int i = 0; i < EPITAPH_OPTION_ROW_COUNT; i++) {
        if (rows[i].key != NULL && strcmp(rows[i].key, key) == 0) return &rows[i];
    }
    return NULL;
}

static size_t least_of(size_t a, size_t b, size_t c) {
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/// Levenshtein's distance, for texts shorter than LIKENESS_KEY_BYTES.
static size_t distance(const char *left, const char *right) {
    size_t costs[LIKENESS_KEY_BYTES], count = strlen(right);
    for (size_t i = 0; i <= count; i++)
        costs[i] = i;
    for (size_t i = 1; *left != 0; i++, left++) {
        size_t diagonal = costs[0];
        costs[0] = i;
        for (size_t j = 1; j <= count; j++) {
            size_t above = costs[j];
            size_t replaced = diagonal + (*left != right[j - 1]);
            costs[j] = least_of(costs[j - 1] + 1, above + 1, replaced);
            diagonal = above;
        }
    }
    return costs[count];
}

const epitaph_option_row *epitaph_option_nearest(const char *key) {
    const epitaph_option_row *nearest = NULL;
    size_t length = strlen(key);
    // Any key would resemble a short one.
    size_t limit = length > 3 * LIKENESS_LIMIT ? LIKENESS_LIMIT : length / 3;
    if (length >= LIKENESS_KEY_BYTES) return NULL;
    for (int i = 0; i < EPITAPH_OPTION_ROW_COUNT; i++) {
        if (rows[i].key == NULL) continue;
        size_t found = distance(key, rows[i].key);
        if (found > limit) continue;
        nearest = &rows[i];
        // From now on only closer ones.
        if (found == 0) break;
        limit = found - 1;
    }
    return nearest;
}
