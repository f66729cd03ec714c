// SPDX-License-Identifier: Apache-2.0
//
// What a preloaded library is told by files and by the environment: the keys of
// docs/configuration.md and docs/preload.md, where their values come from, and what cannot be used
// of them.

#ifndef EPITAPH_PRELOAD_SETTINGS_H
#define EPITAPH_PRELOAD_SETTINGS_H

#include <epitaph.h>
#include <epitaph_option_rows.h>
#include <limits.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_PRELOAD_SIGNAL_LIMIT = 65,
    EPITAPH_PRELOAD_NAME_LIMIT = 64,
    EPITAPH_PRELOAD_ANNOTATION_LIMIT = 128,
    EPITAPH_PRELOAD_TEXT_LIMIT = 64 << 10,
    EPITAPH_PRELOAD_PROBLEM_LIMIT = 20,
    EPITAPH_PRELOAD_PROBLEM_BYTES = 8 << 10,
};

/// Larger than most stacks may be used for; it is in memory of its own, zeros at first.
typedef struct epitaph_preload_settings {
    /// The texts are in `texts`.
    epitaph_options options;
    /// Whether the program gets crash reports: yes or no, as those below.
    int is_enabled;
    /// Whether programs that this one executes get them, too.
    int has_children;
    /// The only program that is meant, by its path or by the last part of it; NULL for any.
    const char *executable;

    int signals[EPITAPH_PRELOAD_SIGNAL_LIMIT];
    int marked_signals[EPITAPH_PRELOAD_SIGNAL_LIMIT];
    const char *environment_names[EPITAPH_PRELOAD_NAME_LIMIT + 1];
    epitaph_annotation_pair annotations[EPITAPH_PRELOAD_ANNOTATION_LIMIT];
    char texts[EPITAPH_PRELOAD_TEXT_LIMIT];
    size_t text_count;

    /// The line of each key in the file that is being read; 0 for none.
    unsigned lines[EPITAPH_OPTION_ROW_COUNT];
    /// Sentences for standard error, each with its newline.
    char problems[EPITAPH_PRELOAD_PROBLEM_BYTES];
    size_t problem_count;
    /// How many are in `problems`, and how many had no room.
    unsigned listed_count;
    unsigned unlisted_count;
} epitaph_preload_settings;

/// Sets all defaults: those of epitaph_options, but for what suits a program that knows nothing of
/// Epitaph.
void epitaph_preload_settings_begin(epitaph_preload_settings *settings);

/// Where a value comes from, for messages.
typedef struct epitaph_preload_place {
    /// A file, or a variable.
    const char *name;
    /// From 1; 0 for a variable.
    unsigned line;
} epitaph_preload_place;

/// Applies `value`, which is used no longer than the call takes, or notes what is wrong with it.
void epitaph_preload_settings_apply(epitaph_preload_settings *settings,
                                    const epitaph_preload_place *place, const char *key,
                                    const char *value);

/// Forgets which lines had which keys: another file follows.
void epitaph_preload_settings_next_file(epitaph_preload_settings *settings);

/// A copy that lives as long as the settings; NULL if there is no room.
const char *epitaph_preload_settings_keep(epitaph_preload_settings *settings, const char *text,
                                          size_t count);

/// Applies the lines of a file. One that does not exist is no problem unless `is_required`.
void epitaph_preload_read_file(epitaph_preload_settings *settings, const char *path,
                               bool is_required);

/// Applies the variables that begin with EPITAPH_, but for EPITAPH_CONFIG.
void epitaph_preload_read_variables(epitaph_preload_settings *settings, char **variables);

/// The value of a variable; NULL for one that is not set or empty.
const char *epitaph_preload_variable(char **variables, const char *name);

/// Notes that something cannot be used. `format` is printf(3)'s.
void epitaph_preload_problem_note(epitaph_preload_settings *settings,
                                  const epitaph_preload_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Writes what was noted. Until it is known that the settings are meant for this program nothing
/// may be said.
void epitaph_preload_problems_print(const epitaph_preload_settings *settings);

/// Writes a line to standard error, if that cannot make the program wait: pipe(7) promises room for
/// PIPE_BUF bytes once poll(2) reports room.
void epitaph_preload_line_print(const char *text, size_t count);

#pragma GCC visibility pop

#endif
