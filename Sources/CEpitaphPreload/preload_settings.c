// SPDX-License-Identifier: Apache-2.0
//
// The keys, what their values may be, and which fields they set.

#include "preload_settings.h"

#include "setting_problems.h"
#include "setting_values.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum kind { FLAG, NUMBER, SIZE, PATH, OTHER } kind;

typedef struct setting {
    const char *name;
    kind kind;
    /// The offset of its field: an int for a flag, uint32_t for a number, uint64_t for a size, a
    /// pointer for a path.
    size_t field;
    /// For a flag the field's values for no and yes; otherwise the bounds.
    uint64_t least, most;
    /// The permitted values, in words that follow "is"; NULL where they follow from the above.
    const char *values;
    bool (*apply)(epitaph_preload_settings *settings, const char *value);
} setting;

#define FIELD(name) offsetof(epitaph_preload_settings, name)
#define OPTION(name) (FIELD(options) + offsetof(epitaph_options, name))
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const char annotation_prefix[] = "annotation.";

void epitaph_preload_settings_begin(epitaph_preload_settings *settings) {
    const epitaph_options defaults = EPITAPH_OPTIONS_DEFAULT;
    settings->options = defaults;
    settings->is_enabled = 1;
    settings->options.annotations = settings->annotations;
    // The program adds none.
    settings->options.breadcrumb_limit = 0;
    // What the program prints and installs is what it does without us.
    settings->options.swift_backtracer = EPITAPH_SWIFT_BACKTRACER_CHAIN;
    settings->options.virtual_signal_actions = 1;
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

static bool apply_bundle_id(epitaph_preload_settings *settings, const char *value) {
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strlen(value);
    if (length == 0 || length > 200 || value[0] == '.' || strspn(value, allowed) != length)
        return false;
    return keep(settings, value, &settings->options.bundle_id);
}

static bool choose_signals(const char *value, const char *nothing, int *signals,
                           const int **option) {
    *option = NULL;
    if (strcmp(value, nothing) == 0) return true;
    if (!epitaph_preload_signals(value, signals, EPITAPH_PRELOAD_SIGNAL_LIMIT)) return false;
    *option = signals;
    return true;
}

static bool apply_signals(epitaph_preload_settings *settings, const char *value) {
    return choose_signals(value, "default", settings->signals, &settings->options.signals);
}

static bool apply_marked_signals(epitaph_preload_settings *settings, const char *value) {
    return choose_signals(value, "none", settings->marked_signals,
                          &settings->options.marked_signals);
}

static bool apply_environment_names(epitaph_preload_settings *settings, const char *value) {
    size_t count = 0, length;
    const char *word;
    while ((word = epitaph_preload_word(&value, &length)) != NULL) {
        const char *name = epitaph_preload_settings_keep(settings, word, length);
        if (name == NULL || count == EPITAPH_PRELOAD_NAME_LIMIT) return false;
        settings->environment_names[count++] = name;
    }
    settings->environment_names[count] = NULL;
    settings->options.environment_allow_list = settings->environment_names;
    return true;
}

static bool apply_crash_directory(epitaph_preload_settings *settings, const char *value) {
    if (strcmp(value, "none") == 0) {
        settings->options.crash_directory = NULL;
        return true;
    }
    return value[0] == '/' && keep(settings, value, &settings->options.crash_directory);
}

static bool apply_crash_file_mode(epitaph_preload_settings *settings, const char *value) {
    bool is_shared = strcmp(value, "0640") == 0;
    if (!is_shared && strcmp(value, "0600") != 0) return false;
    settings->options.crash_file_mode = is_shared ? 0640 : 0600;
    return true;
}

/// The same names, values and words as in the Swift package's Configuration.
static const setting table[EPITAPH_PRELOAD_KEY_COUNT] = {
    {"database", PATH, OPTION(database_path), 0, 0, "the path of a directory", NULL},
    {"bundle_id", OTHER, 0, 0, 0,
     "1 to 200 of the characters A-Z a-z 0-9 . _ -, not starting with a dot", apply_bundle_id},
    {"executable", PATH, FIELD(executable), 0, 0, "the path or the name of a program", NULL},
    {"children", FLAG, FIELD(has_children), 0, 1, NULL, NULL},
    {"enabled", FLAG, FIELD(is_enabled), 0, 1, NULL, NULL},
    {"allow_debugger", FLAG, OPTION(allows_debugger), 0, 1, NULL, NULL},
    {"signals", OTHER, 0, 0, 0, "default, or names such as SIGSEGV with blanks between them",
     apply_signals},
    {"marked_signals", OTHER, 0, 0, 0, "none, or names such as SIGTERM with blanks between them",
     apply_marked_signals},
    {"swift_backtracer", FLAG, OPTION(swift_backtracer), EPITAPH_SWIFT_BACKTRACER_REPLACE,
     EPITAPH_SWIFT_BACKTRACER_CHAIN, NULL, NULL},
    {"virtual_signal_actions", FLAG, OPTION(virtual_signal_actions), 0, 1, NULL, NULL},
    {"existing_threads", FLAG, OPTION(existing_threads), EPITAPH_EXISTING_THREADS_LEFT_ALONE,
     EPITAPH_EXISTING_THREADS_GET_STACKS, NULL, NULL},
    {"trace_threads", FLAG, OPTION(thread_capture), EPITAPH_THREAD_CAPTURE_SIGNAL,
     EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE, NULL, NULL},
    {"exit_is_clean", FLAG, OPTION(ignores_exit), 1, 0, NULL, NULL},
    {"command_line", FLAG, OPTION(includes_command_line), 0, 1, NULL, NULL},
    {"environment_names", OTHER, 0, 0, 0, "at most 64 names with blanks between them",
     apply_environment_names},
    {"last_lines", FLAG, OPTION(writes_last_lines), 0, 1, NULL, NULL},
    {"filters_allow_capture", FLAG, OPTION(filters_allow_capture), 0, 1, NULL, NULL},
    {"max_pending_dumps", NUMBER, OPTION(max_pending_dumps), 1, 100000, NULL, NULL},
    {"max_pending_size", SIZE, OPTION(max_pending_bytes), MIB, 1024 * GIB, NULL, NULL},
    {"crash_directory", OTHER, 0, 0, 0, "the absolute path of a directory, or none",
     apply_crash_directory},
    {"crash_file_mode", OTHER, 0, 0, 0, "0600 or 0640", apply_crash_file_mode},
    {"crashing_stack", SIZE, OPTION(crashing_stack_bytes), 4096, GIB, NULL, NULL},
    {"other_stacks", SIZE, OPTION(other_stack_bytes), 4096, GIB, NULL, NULL},
    {"all_stacks", SIZE, OPTION(all_stacks_bytes), 4096, 4 * GIB, NULL, NULL},
    {"crashing_memory", SIZE, OPTION(crashing_memory_bytes), 256, 3 * MIB, NULL, NULL},
    {"other_memory", SIZE, OPTION(other_memory_bytes), 256, 3 * MIB, NULL, NULL},
    {"all_memory", SIZE, OPTION(all_memory_bytes), 256, 3 * MIB, NULL, NULL},
    {"unwind_tables", SIZE, OPTION(unwind_tables_bytes), 4096, GIB, NULL, NULL},
    {"reserved_disk", SIZE, OPTION(reserved_bytes), 65536, GIB, NULL, NULL},
    {"stop_timeout_ms", NUMBER, OPTION(stop_timeout_ms), 1, 60000, NULL, NULL},
    {"capture_timeout_ms", NUMBER, OPTION(capture_timeout_ms), 1, 60000, NULL, NULL},
};

/// Keys of docs/configuration.md that mean something to a program that was built with Epitaph, and
/// to dump-convert, but nothing here: the same file may be read by both.
static const char keys_of_others[] =
    " allow_test_crashes crash_loop_seconds crash_loop_count destination uploads"
    " reports_per_minute upload_retries upload_interval send_first send_first_seconds"
    " process_dumps max_reports max_database_mb max_report_days stacks attachment max_attachment"
    " events event_destination sessions metrics hangs memory system_events handled_errors"
    " breadcrumbs breadcrumb_file registered_memory upload_url log_url config ";

static bool apply_flag(const setting *setting, const char *value, void *field) {
    bool flag;
    if (!epitaph_preload_flag(value, &flag)) return false;
    int chosen = (int)(flag ? setting->most : setting->least);
    memcpy(field, &chosen, sizeof chosen);
    return true;
}

static bool apply_number(const setting *setting, const char *value, void *field) {
    uint64_t number;
    if (!epitaph_preload_number(value, &number)) return false;
    if (number < setting->least || number > setting->most) return false;
    uint32_t chosen = (uint32_t)number;
    memcpy(field, &chosen, sizeof chosen);
    return true;
}

static bool apply_size(const setting *setting, const char *value, void *field) {
    uint64_t size;
    if (!epitaph_preload_size(value, &size)) return false;
    if (size < setting->least || size > setting->most) return false;
    memcpy(field, &size, sizeof size);
    return true;
}

static bool apply(epitaph_preload_settings *settings, const setting *setting, const char *value) {
    void *field = (char *)settings + setting->field;
    switch (setting->kind) {
    case FLAG: return apply_flag(setting, value, field);
    case NUMBER: return apply_number(setting, value, field);
    case SIZE: return apply_size(setting, value, field);
    case PATH: return value[0] != 0 && keep(settings, value, field);
    case OTHER: return setting->apply(settings, value);
    }
    return false;
}

static void note_values(epitaph_preload_settings *settings, const epitaph_preload_place *place,
                        const setting *setting) {
    char least[32], most[32];
    switch (setting->kind) {
    case FLAG:
        epitaph_preload_problem_note(settings, place, "%s is yes or no", setting->name);
        break;
    case NUMBER:
        epitaph_preload_problem_note(settings, place,
                                     "%s is a whole number from %" PRIu64 " to %" PRIu64,
                                     setting->name, setting->least, setting->most);
        break;
    case SIZE:
        epitaph_preload_size_text(setting->least, least, sizeof least);
        epitaph_preload_size_text(setting->most, most, sizeof most);
        epitaph_preload_problem_note(settings, place, "%s is a size from %s to %s", setting->name,
                                     least, most);
        break;
    case PATH:
    case OTHER:
        epitaph_preload_problem_note(settings, place, "%s is %s", setting->name, setting->values);
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

static bool is_key_of_others(const char *key) {
    char word[64];
    int length = snprintf(word, sizeof word, " %s ", key);
    return length > 2 && (size_t)length < sizeof word && strchr(key, ' ') == NULL &&
           strstr(keys_of_others, word) != NULL;
}

void epitaph_preload_settings_apply(epitaph_preload_settings *settings,
                                    const epitaph_preload_place *place, const char *key,
                                    const char *value) {
    size_t prefix = sizeof annotation_prefix - 1;
    if (strncmp(key, annotation_prefix, prefix) == 0) {
        annotate(settings, place, key + prefix, value);
        return;
    }
    for (int i = 0; i < EPITAPH_PRELOAD_KEY_COUNT; i++) {
        if (strcmp(key, table[i].name) != 0) continue;
        if (!apply(settings, &table[i], value)) note_values(settings, place, &table[i]);
        if (settings->lines[i] != 0 && place->line != 0) {
            epitaph_preload_problem_note(settings, place,
                                         "%s was given in line %u already; the last one counts",
                                         key, settings->lines[i]);
        }
        settings->lines[i] = place->line;
        return;
    }
    if (is_key_of_others(key)) return;
    if (place->line == 0) {
        epitaph_preload_problem_note(settings, place,
                                     "there is no such variable; docs/configuration.md and "
                                     "docs/preload.md list those there are");
    } else {
        epitaph_preload_problem_note(settings, place,
                                     "there is no key \"%.80s\"; docs/configuration.md and "
                                     "docs/preload.md list those there are",
                                     key);
    }
}

void epitaph_preload_settings_next_file(epitaph_preload_settings *settings) {
    memset(settings->lines, 0, sizeof settings->lines);
}
