// SPDX-License-Identifier: Apache-2.0
//
// Applies the values of keys. The keys and their formats are in the option table.

#include "preload_settings.h"

#include <epitaph_swift_calls.h>
#include <stdio.h>
#include <string.h>

static const char annotation_prefix[] = "annotation.";

void epitaph_preload_settings_begin(epitaph_preload_settings *settings) {
    const epitaph_options defaults = EPITAPH_OPTIONS_DEFAULT;
    settings->options = defaults;
    settings->is_enabled = 1;
    settings->options.annotations = settings->annotations;
    // The program adds none.
    settings->options.breadcrumb_limit = 0;
    // Leave the program's own output in effect.
    settings->options.swift_backtracer = EPITAPH_SWIFT_BACKTRACER_CHAIN;
}

const char *epitaph_preload_settings_keep(epitaph_preload_settings *settings, const char *text,
                                          size_t count) {
    if (count >= sizeof settings->texts - settings->text_count) return NULL;
    char *copy = settings->texts + settings->text_count;
    memcpy(copy, text, count);
    copy[count] = 0;
    settings->text_count += count + 1;
    return copy;
}

static bool keep(epitaph_preload_settings *settings, const char *value, const char **field) {
    const char *copy = epitaph_preload_settings_keep(settings, value, strlen(value));
    if (copy == NULL) return false;
    *field = copy;
    return true;
}

static bool set_text(epitaph_preload_settings *settings, const epitaph_option_row *row,
                     const char *value) {
    const char *copy = NULL;
    if (value != NULL && !keep(settings, value, &copy)) return false;
    if (row->kind == EPITAPH_OPTION_PROGRAM) {
        settings->executable = copy;
        return true;
    }
    return epitaph_option_set_address(&settings->options, row, copy);
}

static bool set_signals(epitaph_preload_settings *settings, const epitaph_option_row *row,
                        const char *value) {
    bool is_marks = row->kind == EPITAPH_OPTION_OPTIONAL_SIGNALS;
    int *signals = is_marks ? settings->marked_signals : settings->signals;
    epitaph_option_set_address(&settings->options, row, NULL);
    if (strcmp(value, is_marks ? "none" : "default") == 0) {
        return true;
    }
    if (!epitaph_option_read_signals(value, signals, EPITAPH_PRELOAD_SIGNAL_LIMIT)) return false;
    return epitaph_option_set_address(&settings->options, row, signals);
}

static bool set_names(epitaph_preload_settings *settings, const epitaph_option_row *row,
                      const char *value) {
    size_t count = 0, length;
    const char *word;
    while ((word = epitaph_option_next_word(&value, &length)) != NULL) {
        const char *name = epitaph_preload_settings_keep(settings, word, length);
        if (name == NULL || count == EPITAPH_PRELOAD_NAME_LIMIT) return false;
        settings->environment_names[count++] = name;
    }
    settings->environment_names[count] = NULL;
    return epitaph_option_set_address(&settings->options, row, settings->environment_names);
}

static bool set_number(epitaph_preload_settings *settings, const epitaph_option_row *row,
                       const char *value) {
    uint64_t number;
    if (!epitaph_option_read(row, value, &number)) return false;
    if (row->group != EPITAPH_OPTION_KEY)
        return epitaph_option_set(&settings->options, row, number);
    bool is_children = strcmp(row->key, "children") == 0;
    *(is_children ? &settings->has_children : &settings->is_enabled) = (int)number;
    return true;
}

static bool apply(epitaph_preload_settings *settings, const epitaph_option_row *row,
                  const char *value) {
    switch (row->kind) {
    case EPITAPH_OPTION_SIGNALS:
    case EPITAPH_OPTION_OPTIONAL_SIGNALS: return set_signals(settings, row, value);
    case EPITAPH_OPTION_NAMES: return set_names(settings, row, value);
    case EPITAPH_OPTION_BUNDLE_ID:
        return epitaph_is_bundle_id(value) && set_text(settings, row, value);
    case EPITAPH_OPTION_OPTIONAL_DIRECTORY:
        if (strcmp(value, "none") == 0) return set_text(settings, row, NULL);
        return value[0] == '/' && set_text(settings, row, value);
    case EPITAPH_OPTION_DIRECTORY:
    case EPITAPH_OPTION_PROGRAM: return value[0] != 0 && set_text(settings, row, value);
    default: return set_number(settings, row, value);
    }
}

static void note_values(epitaph_preload_settings *settings, const epitaph_preload_place *place,
                        const epitaph_option_row *row) {
    char words[EPITAPH_OPTION_WORDS_SIZE];
    epitaph_option_words(row, words);
    if (row->kind == EPITAPH_OPTION_NAMES) {
        epitaph_preload_problem_note(settings, place, "%s is at most %d %s", row->key,
                                     EPITAPH_PRELOAD_NAME_LIMIT, words);
    } else {
        epitaph_preload_problem_note(settings, place, "%s is %s", row->key, words);
    }
}

static void annotate(epitaph_preload_settings *settings, const epitaph_preload_place *place,
                     const char *name, const char *value) {
    size_t count = settings->options.annotation_count, length = strlen(name);
    if (length < 1 || length > 255) {
        epitaph_preload_problem_note(settings, place, "an annotation's name has 1 to 255 bytes");
        return;
    }
    size_t i = 0;
    while (i < count && strcmp(settings->annotations[i].name, name) != 0)
        i++;
    epitaph_annotation_pair pair = {NULL, NULL};
    if (i == EPITAPH_PRELOAD_ANNOTATION_LIMIT || !keep(settings, name, &pair.name) ||
        !keep(settings, value, &pair.value)) {
        epitaph_preload_problem_note(settings, place, "there is no room for more annotations");
        return;
    }
    settings->annotations[i] = pair;
    if (i == count) settings->options.annotation_count++;
}

static void note_unknown(epitaph_preload_settings *settings, const epitaph_preload_place *place,
                         const char *key) {
    static const char pages[] = "docs/configuration.md and docs/preload.md list them all";
    const epitaph_option_row *meant = epitaph_option_nearest(key);
    char variable[EPITAPH_OPTION_WORDS_SIZE];
    if (meant == NULL && place->line == 0) {
        epitaph_preload_problem_note(settings, place, "there is no such variable; %s", pages);
    } else if (meant == NULL) {
        epitaph_preload_problem_note(settings, place, "there is no key \"%.80s\"; %s", key, pages);
    } else if (place->line == 0) {
        epitaph_option_variable(meant, variable);
        epitaph_preload_problem_note(settings, place, "there is no such variable; did you mean %s?",
                                     variable);
    } else {
        epitaph_preload_problem_note(settings, place, "there is no key \"%.80s\"; did you mean %s?",
                                     key, meant->key);
    }
}

void epitaph_preload_settings_apply(epitaph_preload_settings *settings,
                                    const epitaph_preload_place *place, const char *key,
                                    const char *value) {
    size_t prefix = sizeof annotation_prefix - 1;
    if (strncmp(key, annotation_prefix, prefix) == 0) {
        annotate(settings, place, key + prefix, value);
        return;
    }
    size_t count;
    const epitaph_option_row *row = epitaph_option_of_key(key);
    if (row == NULL) {
        note_unknown(settings, place, key);
        return;
    }
    // Programs built with Epitaph may read the same file.
    if ((row->readers & EPITAPH_OPTION_FOR_PRELOAD) == 0) return;
    if (!apply(settings, row, value)) note_values(settings, place, row);
    unsigned *line = &settings->lines[row - epitaph_option_rows(&count)];
    if (*line != 0 && place->line != 0) {
        epitaph_preload_problem_note(
            settings, place, "%s was given in line %u already; the last one counts", key, *line);
    }
    *line = place->line;
}

void epitaph_preload_settings_next_file(epitaph_preload_settings *settings) {
    memset(settings->lines, 0, sizeof settings->lines);
}
