// SPDX-License-Identifier: Apache-2.0
//
// Counts seccomp filters, by /proc/self/status or prctl(2). Or the program answers its own calls
// (syscall user dispatch), which the kernel tells nobody, but which was noted or shows in answers.

#include "epitaph_settings.h"
#include "system/sys.h"

#include <fcntl.h>

enum {
    /// Usually the whole file.
    CHUNK_BYTES = 2048,
    CHUNK_LIMIT = 64,
    STRICT_MODE = 1,
    FILTER_MODE = 2,
    /// The count if the kernel reports none (before Linux 5.9).
    SOME_FILTERS = 1 << 30,
    STRICT_FILTERS,
};

/// Values of "Seccomp:" and "Seccomp_filters:", proc(5); -1: not found yet.
typedef struct seccomp_lines {
    int64_t mode;
    int64_t count;
    char line[64];
    size_t length;
} seccomp_lines;

static bool are_told;

static bool read_number(const char *line, const char *name, int64_t *number) {
    size_t length = 0;
    for (; name[length] != 0; length++) {
        if (line[length] != name[length]) return false;
    }
    const char *next = line + length;
    while (*next == '\t' || *next == ' ')
        next++;
    *number = (int64_t)epitaph_text_read_decimal(&next, next + 16);
    return true;
}

static void end_line(seccomp_lines *lines) {
    lines->line[lines->length] = 0;
    lines->length = 0;
    if (!read_number(lines->line, "Seccomp:", &lines->mode))
        read_number(lines->line, "Seccomp_filters:", &lines->count);
}

static void feed(seccomp_lines *lines, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (text[i] == '\n') {
            end_line(lines);
        } else if (lines->length < sizeof lines->line - 20) {
            lines->line[lines->length++] = text[i];
        }
    }
}

/// False if /proc does not say.
static bool count_filters(int fd, uint32_t *count) {
    char text[CHUNK_BYTES];
    seccomp_lines lines;
    lines.mode = -1;
    lines.count = -1;
    lines.length = 0;
    for (int chunk = 0; chunk < CHUNK_LIMIT; chunk++) {
        long got = epitaph_sys_read(fd, text, sizeof text);
        if (got <= 0 || (size_t)got > sizeof text) break;
        feed(&lines, text, (size_t)got);
        // "Seccomp_filters:" follows "Seccomp:".
        if (lines.count >= 0) break;
    }
    if (lines.mode < 0) return false;
    if (lines.mode == 0) *count = 0;
    if (lines.mode == STRICT_MODE) *count = STRICT_FILTERS;
    if (lines.mode == FILTER_MODE) *count = lines.count < 0 ? SOME_FILTERS : (uint32_t)lines.count;
    return true;
}

static long open_status(void) {
    return epitaph_sys_openat(AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
}

void epitaph_filters_watch(void) {
    epitaph_owned_file *file = &epitaph_capture_settings_now.status_file;
    epitaph_owned_file_close(file);
    long fd = open_status();
    if (fd >= 0) epitaph_owned_file_adopt(file, (int)fd);
}

void epitaph_filter_note(void) {
    __atomic_store_n(&epitaph_capture_settings_now.has_new_filters, 1, __ATOMIC_RELEASE);
}

void epitaph_filters_remember(void) {
    long fd = open_status();
    epitaph_capture_settings_now.filter_count = 0;
    if (fd >= 0) {
        count_filters((int)fd, &epitaph_capture_settings_now.filter_count);
        epitaph_sys_close((int)fd);
    }
    __atomic_store_n(&epitaph_capture_settings_now.has_new_filters, 0, __ATOMIC_RELAXED);
    epitaph_filters_watch();
}

/// getpid(2) always succeeds: another answer is a filter's or the program's.
static bool is_refused(void) {
    return epitaph_sys_getpid() <= 0;
}

static bool find_others(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint32_t count;
    // In a forked child the file describes the parent.
    if (!epitaph_process_is_owner()) {
        return settings->filter_count == 0 && epitaph_sys_seccomp_mode() > 0;
    }
    if (!epitaph_owned_file_prove(&settings->status_file)) return is_refused();
    if (!count_filters(settings->status_file.fd, &count)) return is_refused();
    return count != settings->filter_count;
}

/// A filter stays until the process ends, and may kill for what would be asked.
static bool are_others(void) {
    uint32_t *has_new_filters = &epitaph_capture_settings_now.has_new_filters;
    if (__atomic_load_n(has_new_filters, __ATOMIC_ACQUIRE) != 0) return true;
    bool are_new = find_others();
    if (are_new) __atomic_store_n(has_new_filters, 1, __ATOMIC_RELAXED);
    return are_new;
}

static bool allow_capture(void) {
    return __atomic_load_n(&epitaph_capture_settings_now.filters_allow_capture, __ATOMIC_RELAXED);
}

bool epitaph_filters_are_new(void) {
    return !allow_capture() && are_others();
}

bool epitaph_filters_may_kill(void) {
    return !allow_capture() &&
           __atomic_load_n(&epitaph_capture_settings_now.has_new_filters, __ATOMIC_ACQUIRE) != 0;
}

void epitaph_filters_are_told(void) {
    are_told = true;
}

bool epitaph_filters_allow_calls(void) {
    return (are_told || allow_capture()) && !epitaph_filters_may_kill();
}

bool epitaph_filters_have_come(void) {
    bool are_new = epitaph_filters_are_new();
    // A crash reads the file from its start.
    const epitaph_owned_file *file = &epitaph_capture_settings_now.status_file;
    if (!are_new && epitaph_owned_file_prove(file)) epitaph_sys_rewind(file->fd);
    return are_new;
}

/// Reopens the file if the program has closed it, where that is allowed: without filters, or if
/// there were some at the start, a container's, which have to be counted.
static bool watch_again(void) {
    long mode = epitaph_sys_seccomp_mode();
    if (mode != 0 && epitaph_capture_settings_now.filter_count == 0) return false;
    epitaph_filters_watch();
    return true;
}

bool epitaph_filters_are_old(void) {
    const epitaph_owned_file *file = &epitaph_capture_settings_now.status_file;
    const uint32_t *has_new_filters = &epitaph_capture_settings_now.has_new_filters;
    // Not even to prove that the file is ours.
    if (__atomic_load_n(has_new_filters, __ATOMIC_ACQUIRE) != 0) return false;
    epitaph_process_page *page = __atomic_load_n(&epitaph_process_page_now, __ATOMIC_ACQUIRE);
    uint32_t nobody = 0;
    if (page == NULL || !__atomic_compare_exchange_n(&page->asks_for_filters, &nobody, 1, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return false;
    }
    bool are_old = (epitaph_owned_file_prove(file) || watch_again()) && !are_others();
    // A crash reads the file from its start. A thread crashing now finds nothing left to read and
    // rightly assumes that there is no new filter.
    if (are_old && file->fd >= 0) epitaph_sys_rewind(file->fd);
    __atomic_store_n(&page->asks_for_filters, 0, __ATOMIC_RELEASE);
    return are_old;
}
