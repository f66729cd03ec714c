// SPDX-License-Identifier: Apache-2.0
//
// Checks options and replaces zeros by defaults.

#include "options/options.h"

#include "base/error.h"
#include "epitaph.h"
#include "epitaph_breadcrumb_file.h"
#include "epitaph_breadcrumb_ring.h"
#include "epitaph_signal_set.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

enum { BUNDLE_ID_LIMIT = 200 };

static const int default_signals[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGQUIT, SIGSEGV,
                                      SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, 0};

/// The bundle id is the beginning of a file name, so characters are excluded that could leave the
/// directory, hide the file or end the name early.
bool epitaph_is_bundle_id(const char *text) {
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strlen(text);
    return length > 0 && length <= BUNDLE_ID_LIMIT && text[0] != '.' &&
           strspn(text, allowed) == length;
}

bool epitaph_signal_can_be_handled(int signal) {
    return signal >= 1 && signal < EPITAPH_SIGNAL_LIMIT && signal != SIGKILL && signal != SIGSTOP &&
           signal != SIGPROF;
}

static void set_defaults(epitaph_options *options) {
#define SET_BYTES(field, value) \
    if (options->field == 0) options->field = epitaph_default_##field;
#define SET_MILLISECONDS(field, value) \
    if (options->field##_ms == 0) options->field##_ms = epitaph_default_##field##_ms;
    EPITAPH_LIMIT_TABLE(SET_BYTES, SET_MILLISECONDS)
#undef SET_BYTES
#undef SET_MILLISECONDS
    if (options->annotations == NULL) options->annotation_count = 0;
    if (options->signals == NULL) options->signals = default_signals;
    if (options->max_pending_dumps == 0) {
        options->max_pending_dumps = epitaph_default_max_pending_dumps;
    }
    if (options->max_pending_bytes == 0) {
        options->max_pending_bytes = epitaph_default_max_pending_bytes;
    }
}

static epitaph_status check_signals(const int *signals, epitaph_error *error) {
    for (; *signals != 0; signals++) {
        if (!epitaph_signal_can_be_handled(*signals)) {
            return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                     "options.signals: signal %d cannot be handled", *signals);
        }
    }
    return EPITAPH_OK;
}

/// Signals whose default action ends a process without a core dump, signal(7). Not SIGPROF: it
/// stops threads.
bool epitaph_signal_can_be_marked(int signal) {
    switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGPIPE:
    case SIGALRM:
    case SIGTERM:
    case SIGUSR1:
    case SIGUSR2:
    case SIGVTALRM:
    case SIGIO:
    case SIGPWR:
    case SIGSTKFLT: return true;
    default: return signal >= SIGRTMIN && signal < EPITAPH_SIGNAL_LIMIT;
    }
}

static epitaph_status check_marked(const epitaph_options *options, epitaph_error *error) {
    for (const int *marked = options->marked_signals; marked != NULL && *marked != 0; marked++) {
        bool can_be_marked = epitaph_signal_can_be_marked(*marked);
        for (const int *signal = options->signals; *signal != 0; signal++)
            can_be_marked = can_be_marked && *signal != *marked;
        if (!can_be_marked) {
            return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                     "options.marked_signals: the end by signal %d cannot be "
                                     "marked, or its crashes are captured",
                                     *marked);
        }
    }
    return EPITAPH_OK;
}

static epitaph_status check_crash_directory(const epitaph_options *options, epitaph_error *error) {
    const char *path = options->crash_directory;
    uint32_t mode = options->crash_file_mode;
    if (path != NULL && path[0] != '/') {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options.crash_directory: give an absolute path");
    }
    if (mode != 0 && mode != 0600 && mode != 0640) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options.crash_file_mode: give 0600 or 0640");
    }
    if (mode == 0640 && path == NULL) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options.crash_file_mode: a group can read dumps only in an "
                                 "options.crash_directory, not in the database");
    }
    return EPITAPH_OK;
}

epitaph_status epitaph_options_check(const epitaph_options *options, epitaph_options *checked,
                                     epitaph_error *error) {
    if (options == NULL || options->size_bytes < offsetof(epitaph_options, annotations)) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options: begin with EPITAPH_OPTIONS_DEFAULT");
    }
    memset(checked, 0, sizeof *checked);
    memcpy(checked, options,
           options->size_bytes < sizeof *checked ? options->size_bytes : sizeof *checked);
    if (checked->database_path == NULL || checked->database_path[0] == 0) {
        return epitaph_error_set(
            error, EPITAPH_INVALID_OPTION, 0,
            "options.database_path: give the directory reports are to live in");
    }
    if (checked->bundle_id == NULL || !epitaph_is_bundle_id(checked->bundle_id)) {
        return epitaph_error_set(
            error, EPITAPH_INVALID_OPTION, 0,
            "options.bundle_id: give 1 to %d of the characters A-Z a-z 0-9 . _ -, not starting "
            "with a dot",
            BUNDLE_ID_LIMIT);
    }
    set_defaults(checked);
    // From a program that was compiled before this field existed.
    if (options->size_bytes <= offsetof(epitaph_options, breadcrumb_limit)) {
        const epitaph_options defaults = EPITAPH_OPTIONS_DEFAULT;
        checked->breadcrumb_limit = defaults.breadcrumb_limit;
    }
    if (checked->breadcrumb_limit > EPITAPH_BREADCRUMB_LIMIT) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options.breadcrumb_limit: at most %d can be kept",
                                 EPITAPH_BREADCRUMB_LIMIT);
    }
    size_t file_bytes = checked->breadcrumb_file_bytes;
    if (file_bytes != 0 && (file_bytes < EPITAPH_BREADCRUMB_FILE_LEAST_BYTES ||
                            file_bytes > EPITAPH_BREADCRUMB_FILE_MOST_BYTES)) {
        return epitaph_error_set(
            error, EPITAPH_INVALID_OPTION, 0, "options.breadcrumb_file_bytes: give 0, or %d to %d",
            EPITAPH_BREADCRUMB_FILE_LEAST_BYTES, EPITAPH_BREADCRUMB_FILE_MOST_BYTES);
    }
    epitaph_status status = check_crash_directory(checked, error);
    if (status == EPITAPH_OK) status = check_signals(checked->signals, error);
    return status == EPITAPH_OK ? check_marked(checked, error) : status;
}
