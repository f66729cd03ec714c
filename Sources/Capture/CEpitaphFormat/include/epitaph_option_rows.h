// SPDX-License-Identifier: Apache-2.0
//
// The rows of epitaph_option_table.h as data, and their values in files and variables,
// docs/configuration.md. Independent of the program's locale. QUIET-TIME.

#ifndef EPITAPH_OPTION_ROWS_H
#define EPITAPH_OPTION_ROWS_H

#include "epitaph_option_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define EPITAPH_OPTION_KIND_MEMBER(name) EPITAPH_OPTION_##name,
typedef enum epitaph_option_kind {
    EPITAPH_OPTION_KINDS(EPITAPH_OPTION_KIND_MEMBER)
} epitaph_option_kind;
#undef EPITAPH_OPTION_KIND_MEMBER

/// Who reads a key, as bits. Others ignore it silently: a file may serve both.
typedef enum epitaph_option_readers {
    EPITAPH_OPTION_FOR_NOBODY = 0,
    EPITAPH_OPTION_FOR_CLIENT = 1,
    EPITAPH_OPTION_FOR_PRELOAD = 2,
    EPITAPH_OPTION_FOR_BOTH = 3,
} epitaph_option_readers;

typedef enum epitaph_option_group {
    /// A field that may change while the program runs; 0 means the default.
    EPITAPH_OPTION_LIMIT,
    /// The same, fixed at the start.
    EPITAPH_OPTION_START_LIMIT,
    /// Another field, fixed at the start.
    EPITAPH_OPTION_START,
    EPITAPH_OPTION_KEY,
} epitaph_option_group;

typedef struct epitaph_option_row {
    epitaph_option_group group;
    /// Of epitaph_options; NULL for a key without a field.
    const char *field;
    /// In files, and in capitals after EPITAPH_ as a variable; NULL if only the program may choose.
    const char *key;
    epitaph_option_kind kind;
    /// Bounds of an operator's number; for a FLAG the field's values for no and yes.
    uint64_t least;
    uint64_t most;
    /// The default; for a FLAG 1 for yes.
    uint64_t standard;
    uint32_t readers;
    /// One sentence without a full stop; NULL if only the key is known here.
    const char *meaning;
} epitaph_option_row;

#define EPITAPH_OPTION_COUNT_ONE(...) +1
enum {
    /// Rows with a field, which come first.
    EPITAPH_OPTION_FIELD_COUNT = 0 EPITAPH_OPTIONS(EPITAPH_OPTION_COUNT_ONE),
    EPITAPH_OPTION_ROW_COUNT =
        EPITAPH_OPTION_FIELD_COUNT EPITAPH_PLAIN_KEYS(EPITAPH_OPTION_COUNT_ONE)
            EPITAPH_CLIENT_KEYS(EPITAPH_OPTION_COUNT_ONE)
                EPITAPH_VARIABLE_KEYS(EPITAPH_OPTION_COUNT_ONE),
    EPITAPH_OPTION_WORDS_SIZE = 96,
    EPITAPH_BUNDLE_ID_LIMIT = 200,
};
#undef EPITAPH_OPTION_COUNT_ONE

const epitaph_option_row *epitaph_option_rows(size_t *count);

const epitaph_option_row *epitaph_option_of_field(const char *field);
const epitaph_option_row *epitaph_option_of_key(const char *key);

const epitaph_option_row *epitaph_option_nearest(const char *key);

/// Writes the variable's name: EPITAPH_ and the key in capitals.
void epitaph_option_variable(const epitaph_option_row *row, char text[EPITAPH_OPTION_WORDS_SIZE]);

void epitaph_option_words(const epitaph_option_row *row, char text[EPITAPH_OPTION_WORDS_SIZE]);

/// Reads a number; a FLAG is 1 for yes, an OPTIONAL_SIZE 0 for none. For an invalid or
/// out-of-bounds text or another kind returns false, leaving `value` unchanged.
bool epitaph_option_read(const epitaph_option_row *row, const char *text, uint64_t *value);

/// The inverse of epitaph_option_read: "yes", "none", "1 MiB".
void epitaph_option_write(const epitaph_option_row *row, uint64_t value,
                          char text[EPITAPH_OPTION_WORDS_SIZE]);

/// Reads signal names separated by blanks or commas, with or without SIG. `signals` gets the
/// numbers and a 0, at most `limit` in all. Returns false, changing nothing, for other texts.
bool epitaph_option_read_signals(const char *text, int *signals, size_t limit);

/// The next word of `*text`, between blanks and commas; NULL at the end.
const char *epitaph_option_next_word(const char **text, size_t *length);

/// A bundle id begins a file name: it must not leave the directory, hide the file or end the name.
bool epitaph_is_bundle_id(const char *text);
bool epitaph_bundle_id_may_have(char character);

#pragma GCC visibility pop

#endif
