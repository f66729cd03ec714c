// SPDX-License-Identifier: Apache-2.0
//
// Where the fields of the table's rows are.

#include "epitaph_swift_calls.h"

#include <string.h>

typedef struct place {
    uint16_t offset;
    uint16_t size;
} place;

#define OPTION_PLACE(field, ...) \
    {offsetof(epitaph_options, field), sizeof((epitaph_options *)0)->field},
#define LIMIT_PLACE(field, ...) \
    {offsetof(epitaph_limits, field), sizeof((epitaph_limits *)0)->field},

/// Indexed by row: the rows with fields come first in the table.
static const place option_places[] = {EPITAPH_OPTIONS(OPTION_PLACE)};
static const place limit_places[] = {EPITAPH_LIMITS(LIMIT_PLACE)};

_Static_assert(EPITAPH_SWIFT_BACKTRACER_CHAIN == 1 && EPITAPH_EXISTING_THREADS_GET_STACKS == 0 &&
                   EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE == 1,
               "the table says which of two values is yes");

enum { LIMIT_COUNT = sizeof limit_places / sizeof *limit_places };

static const place *find(const epitaph_option_row *row, const place *places, size_t count) {
    size_t row_count;
    size_t index = (size_t)(row - epitaph_option_rows(&row_count));
    return index < count ? &places[index] : NULL;
}

static const place *find_number(const epitaph_option_row *row) {
    bool is_number = row->kind <= EPITAPH_OPTION_FILE_MODE;
    return is_number ? find(row, option_places, EPITAPH_OPTION_FIELD_COUNT) : NULL;
}

static uint64_t load(const void *structure, const place *place) {
    const char *field = (const char *)structure + place->offset;
    uint64_t wide;
    uint32_t narrow;
    if (place->size == sizeof wide) {
        memcpy(&wide, field, sizeof wide);
        return wide;
    }
    memcpy(&narrow, field, sizeof narrow);
    return narrow;
}

static void store(void *structure, const place *place, uint64_t value) {
    char *field = (char *)structure + place->offset;
    uint32_t narrow = (uint32_t)value;
    memcpy(field, place->size == sizeof value ? (const void *)&value : &narrow, place->size);
}

bool epitaph_option_get(const epitaph_options *options, const epitaph_option_row *row,
                        uint64_t *value) {
    const place *place = find_number(row);
    if (place == NULL) return false;
    uint64_t stored = load(options, place);
    // If 0 means no, any other number means yes.
    bool is_yes = row->least == 0 ? stored != 0 : stored == row->most;
    *value = row->kind == EPITAPH_OPTION_FLAG ? is_yes : stored;
    return true;
}

bool epitaph_option_set(epitaph_options *options, const epitaph_option_row *row, uint64_t value) {
    const place *place = find_number(row);
    if (place == NULL) return false;
    if (row->kind == EPITAPH_OPTION_FLAG) value = value != 0 ? row->most : row->least;
    store(options, place, value);
    return true;
}

bool epitaph_option_set_address(epitaph_options *options, const epitaph_option_row *row,
                                const void *address) {
    const place *place = find(row, option_places, EPITAPH_OPTION_FIELD_COUNT);
    if (place == NULL || find_number(row) != NULL) return false;
    memcpy((char *)options + place->offset, &address, sizeof address);
    return true;
}

bool epitaph_limit_get(const epitaph_limits *limits, const epitaph_option_row *row,
                       uint64_t *value) {
    const place *place = find(row, limit_places, LIMIT_COUNT);
    if (place == NULL) return false;
    *value = load(limits, place);
    return true;
}

bool epitaph_limit_set(epitaph_limits *limits, const epitaph_option_row *row, uint64_t value) {
    const place *place = find(row, limit_places, LIMIT_COUNT);
    if (place == NULL) return false;
    store(limits, place, value);
    return true;
}
