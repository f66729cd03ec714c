// SPDX-License-Identifier: Apache-2.0
//
// Checks options and replaces zeros by defaults.

#include "options/options.h"

#include "base/base.h"
#include "epitaph_swift_calls.h"
#include "epitaph_system.h"

#include <inttypes.h>
#include <string.h>

static const int default_signals[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGQUIT, SIGSEGV,
                                      SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, 0};

bool epitaph_signal_can_be_handled(int signal) {
    return signal >= 1 && signal < EPITAPH_SIGNAL_LIMIT && signal != SIGKILL && signal != SIGSTOP &&
           signal != SIGPROF;
}

static void set_defaults(epitaph_options *options) {
#define SET_DEFAULT(field, ...) \
    if (options->field == 0) options->field = epitaph_default_##field;
    EPITAPH_LIMITS(SET_DEFAULT)
    EPITAPH_START_LIMITS(SET_DEFAULT)
#undef SET_DEFAULT
    if (options->annotations == NULL) options->annotation_count = 0;
    if (options->signals == NULL) options->signals = default_signals;
}

/// Limits and flags accept any number.
static epitaph_status check_number(const epitaph_option_row *row, uint64_t value,
                                   epitaph_error *error) {
    bool is_inside = value >= row->least && value <= row->most;
    switch (row->kind) {
    case EPITAPH_OPTION_COUNT:
        if (is_inside) return EPITAPH_OK;
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options.%s: give %" PRIu64 " to %" PRIu64, row->field, row->least,
                                 row->most);
    case EPITAPH_OPTION_RATE:
    case EPITAPH_OPTION_OPTIONAL_SIZE:
        if (is_inside || value == 0) return EPITAPH_OK;
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options.%s: give 0, or %" PRIu64 " to %" PRIu64, row->field,
                                 row->least, row->most);
    case EPITAPH_OPTION_FILE_MODE:
        if (value == 0 || value == row->least || value == row->most) return EPITAPH_OK;
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "options.%s: give %#04" PRIo64 " or %#04" PRIo64, row->field,
                                 row->least, row->most);
    default: return EPITAPH_OK;
    }
}

static epitaph_status check_numbers(const epitaph_options *options, epitaph_error *error) {
    size_t count;
    const epitaph_option_row *row = epitaph_option_rows(&count);
    epitaph_status status = EPITAPH_OK;
    for (const epitaph_option_row *end = row + count; row < end && status == EPITAPH_OK; row++) {
        uint64_t value;
        bool is_checked = row->group == EPITAPH_OPTION_START;
        if (is_checked && epitaph_option_get(options, row, &value))
            status = check_number(row, value, error);
    }
    return status;
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

/// By default these terminate without a core dump, signal(7). Not SIGPROF, used to stop threads.
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
            EPITAPH_BUNDLE_ID_LIMIT);
    }
    set_defaults(checked);
    // The caller was compiled before this field existed.
    if (options->size_bytes <= offsetof(epitaph_options, breadcrumb_limit)) {
        const epitaph_options defaults = EPITAPH_OPTIONS_DEFAULT;
        checked->breadcrumb_limit = defaults.breadcrumb_limit;
    }
    epitaph_status status = check_numbers(checked, error);
    if (status == EPITAPH_OK) status = check_crash_directory(checked, error);
    if (status == EPITAPH_OK) status = check_signals(checked->signals, error);
    return status == EPITAPH_OK ? check_marked(checked, error) : status;
}
