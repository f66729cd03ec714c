// SPDX-License-Identifier: Apache-2.0
//
// The rows of epitaph_option_table.h as data, and the forms of their values in files and variables,
// docs/configuration.md. Nothing here depends on the locale, which is the program's. QUIET-TIME.

#ifndef EPITAPH_OPTION_ROWS_H
#define EPITAPH_OPTION_ROWS_H

#include "epitaph_option_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define EPITAPH_OPTION_KIND_MEMBER(name) EPITAPH_OPTION_##name,
/// The form of a value.
typedef enum epitaph_option_kind {
    EPITAPH_OPTION_KINDS(EPITAPH_OPTION_KIND_MEMBER)
} epitaph_option_kind;
#undef EPITAPH_OPTION_KIND_MEMBER

/// Who heeds a key, as bits. The others pass over it in silence: a file may serve both.
typedef enum epitaph_option_readers {
    EPITAPH_OPTION_FOR_NOBODY = 0,
    /// A program that was built with Epitaph.
    EPITAPH_OPTION_FOR_CLIENT = 1,
    /// The preloaded library.
    EPITAPH_OPTION_FOR_PRELOAD = 2,
    EPITAPH_OPTION_FOR_BOTH = 3,
} epitaph_option_readers;

/// Where an option applies: the lists of the table.
typedef enum epitaph_option_group {
    /// A field for which 0 stands for the default, and which may change while the program runs.
    EPITAPH_OPTION_LIMIT,
    /// The same, fixed at the start.
    EPITAPH_OPTION_START_LIMIT,
    /// Any other field, fixed at the start.
    EPITAPH_OPTION_START,
    /// No field.
    EPITAPH_OPTION_KEY,
} epitaph_option_group;

/// One option.
typedef struct epitaph_option_row {
    epitaph_option_group group;
    /// The field of epitaph_options; NULL for a key without one.
    const char *field;
    /// The name in files, and in capitals behind EPITAPH_ that of the variable; NULL for an option
    /// that only the program's code may choose.
    const char *key;
    epitaph_option_kind kind;
    /// The bounds of a number that an operator chooses; of a FLAG the field for no and for yes.
    uint64_t least;
    uint64_t most;
    /// What counts if nothing is chosen; of a FLAG 1 for yes.
    uint64_t standard;
    /// epitaph_option_readers
    uint32_t readers;
    /// One sentence, without its full stop; NULL if only the name of the key is known here.
    const char *meaning;
} epitaph_option_row;

#define EPITAPH_OPTION_COUNT_ONE(...) +1
enum {
    /// How many rows have a field; they come first.
    EPITAPH_OPTION_FIELD_COUNT = 0 EPITAPH_OPTIONS(EPITAPH_OPTION_COUNT_ONE),
    EPITAPH_OPTION_ROW_COUNT =
        EPITAPH_OPTION_FIELD_COUNT EPITAPH_PLAIN_KEYS(EPITAPH_OPTION_COUNT_ONE)
            EPITAPH_CLIENT_KEYS(EPITAPH_OPTION_COUNT_ONE)
                EPITAPH_VARIABLE_KEYS(EPITAPH_OPTION_COUNT_ONE),
    /// Room for any words about values.
    EPITAPH_OPTION_WORDS_SIZE = 96,
    /// The most characters of a bundle id.
    EPITAPH_BUNDLE_ID_LIMIT = 200,
};
#undef EPITAPH_OPTION_COUNT_ONE

/// All rows, in the order of the table, and their number.
const epitaph_option_row *epitaph_option_rows(size_t *count);

/// The row of a field, or of a key in small letters; NULL if there is none.
const epitaph_option_row *epitaph_option_of_field(const char *field);
const epitaph_option_row *epitaph_option_of_key(const char *key);

/// The key that somebody may have meant who wrote one that there is not; NULL if none is like it.
const epitaph_option_row *epitaph_option_nearest(const char *key);

/// Writes the name of its variable, EPITAPH_ and the key in capitals, into `text`.
void epitaph_option_variable(const epitaph_option_row *row, char text[EPITAPH_OPTION_WORDS_SIZE]);

/// Writes which values there are, in words that follow "is", into `text`.
void epitaph_option_words(const epitaph_option_row *row, char text[EPITAPH_OPTION_WORDS_SIZE]);

/// Reads the value of a number: of a FLAG 1 for yes, of an OPTIONAL_SIZE 0 for none. False, and
/// nothing is changed, for a text that is no such value, is out of bounds, or for another kind.
bool epitaph_option_read(const epitaph_option_row *row, const char *text, uint64_t *value);

/// Writes such a value as epitaph_option_read takes it: "yes", "none", "1 MiB".
void epitaph_option_write(const epitaph_option_row *row, uint64_t value,
                          char text[EPITAPH_OPTION_WORDS_SIZE]);

/// Reads names of signals with blanks or commas between them, with SIG or without. `signals` gets
/// their numbers and a 0, at most `limit` with it. False for another text; nothing is changed then.
bool epitaph_option_read_signals(const char *text, int *signals, size_t limit);

/// The next word of `*text`, between blanks and commas, and its length; NULL at the end.
const char *epitaph_option_next_word(const char **text, size_t *length);

/// Whether a bundle id may be that text, and may have that character: a bundle id is the beginning
/// of a file name, so it cannot leave the directory, hide the file or end the name early.
bool epitaph_is_bundle_id(const char *text);
bool epitaph_bundle_id_may_have(char character);

#pragma GCC visibility pop

#endif
