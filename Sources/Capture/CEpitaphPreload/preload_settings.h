// SPDX-License-Identifier: Apache-2.0
//
// Settings of the preloaded library: docs/configuration.md, docs/preload.md.

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

/// Too large for many stacks: allocate it separately, zeroed.
typedef struct epitaph_preload_settings {
    epitaph_options options;
    int is_enabled;
    /// Whether programs that it executes get them, too.
    int has_children;
    /// The only program that the settings are for, by path or file name; NULL for any.
    const char *executable;

    int signals[EPITAPH_PRELOAD_SIGNAL_LIMIT];
    int marked_signals[EPITAPH_PRELOAD_SIGNAL_LIMIT];
    const char *environment_names[EPITAPH_PRELOAD_NAME_LIMIT + 1];
    epitaph_annotation_pair annotations[EPITAPH_PRELOAD_ANNOTATION_LIMIT];
    char texts[EPITAPH_PRELOAD_TEXT_LIMIT];
    size_t text_count;

    /// Line of each key in the current file; 0 for none.
    unsigned lines[EPITAPH_OPTION_ROW_COUNT];
    /// Sentences for standard error, each with a newline.
    char problems[EPITAPH_PRELOAD_PROBLEM_BYTES];
    size_t problem_count;
    unsigned listed_count;
    unsigned unlisted_count;
} epitaph_preload_settings;

void epitaph_preload_settings_begin(epitaph_preload_settings *settings);

typedef struct epitaph_preload_place {
    /// A file or variable.
    const char *name;
    /// From 1; 0 for a variable.
    unsigned line;
} epitaph_preload_place;

/// Applies `value` or notes a problem with it. Does not keep the pointer.
void epitaph_preload_settings_apply(epitaph_preload_settings *settings,
                                    const epitaph_preload_place *place, const char *key,
                                    const char *value);

void epitaph_preload_settings_next_file(epitaph_preload_settings *settings);

/// Returns a copy that lives as long as the settings; NULL if there is no room.
const char *epitaph_preload_settings_keep(epitaph_preload_settings *settings, const char *text,
                                          size_t count);

/// Applies the lines of a file. A missing file is a problem only if `is_required`.
void epitaph_preload_read_file(epitaph_preload_settings *settings, const char *path,
                               bool is_required);

/// Applies variables starting with EPITAPH_, except EPITAPH_CONFIG.
void epitaph_preload_read_variables(epitaph_preload_settings *settings, char **variables);

const char *epitaph_preload_variable(char **variables, const char *name);

void epitaph_preload_problem_note(epitaph_preload_settings *settings,
                                  const epitaph_preload_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Prints the problems. Call it only once the settings are known to be for this program.
void epitaph_preload_problems_print(const epitaph_preload_settings *settings);

/// Writes a line if that cannot block: after poll(2) a pipe has room for PIPE_BUF bytes, pipe(7).
void epitaph_preload_line_print(const char *text, size_t count);

#pragma GCC visibility pop

#endif
