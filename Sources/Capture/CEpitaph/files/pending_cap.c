// SPDX-License-Identifier: Apache-2.0
//
// Keeps a crash loop from filling the disk: before a file is armed, dumps of the bundle are removed
// until one more fits under the caps. docs/decisions/pending-dumps.md says which.

#include "files/files.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    /// Enough when a program ends cleanly a hundred times an hour.
    CLEAN_ENDS_KEPT = 8,
    COUNT_ATTEMPTS = 3,
};

static bool is_over(uint64_t count, uint64_t bytes, const epitaph_options *options) {
    return count >= options->max_pending_dumps ||
           bytes + options->reserved_bytes > options->max_pending_bytes;
}

static bool are_dumps_over(const epitaph_waiting_files *files, const epitaph_options *options) {
    return is_over(files->counts[EPITAPH_WAITING_DUMP], files->bytes[EPITAPH_WAITING_DUMP],
                   options);
}

/// Launch records make room for dumps, never the reverse.
static bool are_launches_over(const epitaph_waiting_files *files, const epitaph_options *options) {
    if (files->counts[EPITAPH_WAITING_LAUNCH] == 0) return false;
    return is_over(files->counts[EPITAPH_WAITING_LAUNCH] + files->counts[EPITAPH_WAITING_DUMP],
                   files->bytes[EPITAPH_WAITING_LAUNCH] + files->bytes[EPITAPH_WAITING_DUMP],
                   options);
}

static bool are_clean_ends_over(const epitaph_waiting_files *files) {
    return files->counts[EPITAPH_WAITING_CLEAN_END] > CLEAN_ENDS_KEPT;
}

/// Skips files that cannot be removed: they take no dump's place.
static void remove_clean_ends(epitaph_waiting_files *files, int directory) {
    for (size_t index = 0; are_clean_ends_over(files) && index < files->count;) {
        if (files->items[index].kind != EPITAPH_WAITING_CLEAN_END) break;
        if (epitaph_waiting_file_remove(files, index, directory) != 0) index++;
    }
}

static int remove_launches(epitaph_waiting_files *files, int directory,
                           const epitaph_options *options) {
    while (are_launches_over(files, options)) {
        size_t oldest = files->counts[EPITAPH_WAITING_CLEAN_END];
        int result = epitaph_waiting_file_remove(files, oldest, directory);
        if (result != 0) return result;
    }
    return 0;
}

/// Repeatedly removes the middle dump.
static int remove_dumps(epitaph_waiting_files *files, int directory, const epitaph_options *options,
                        size_t *removed) {
    while (files->counts[EPITAPH_WAITING_DUMP] > 0 && are_dumps_over(files, options)) {
        size_t dumps = files->counts[EPITAPH_WAITING_DUMP];
        int result =
            epitaph_waiting_file_remove(files, files->count - dumps + dumps / 2, directory);
        if (result != 0) return result;
        (*removed)++;
    }
    return 0;
}

/// Opens the counting file, locked against removal by the sweep. Gives up after a few attempts:
/// losing a count is better than delaying the start.
static int open_count(int directory) {
    int fd = -1;
    for (int attempt = 0; attempt < COUNT_ATTEMPTS; attempt++) {
        if (fd >= 0) close(fd);
        fd = (int)epitaph_pending_open_dropped(directory);
        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) break;
    }
    return fd;
}

static void count_removed(int directory, size_t removed) {
    if (removed == 0) return;
    int fd = open_count(directory);
    if (fd < 0) return;
    for (size_t i = 0; i < removed; i++) {
        if (write(fd, ".", 1) != 1) break;
    }
    close(fd);
}

static int make_room(epitaph_waiting_files *files, int directory, const epitaph_options *options) {
    size_t removed = 0;
    remove_clean_ends(files, directory);
    int result = remove_launches(files, directory, options);
    if (result == 0) result = remove_dumps(files, directory, options, &removed);
    count_removed(directory, removed);
    return result;
}

/// Only the process that holds the flock(2) on the directory makes room; others continue at once.
static int make_room_alone(epitaph_waiting_files *files, int directory,
                           const epitaph_options *options) {
    int lock = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0) return errno;
    bool is_taken = flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    int result = is_taken ? 0 : make_room(files, directory, options);
    close(lock);
    return result;
}

epitaph_status epitaph_pending_make_room(const epitaph_options *options, epitaph_error *error) {
    int directory = epitaph_capture_settings_now.directory.fd;
    epitaph_waiting_files files;
    int result = 0;
    epitaph_waiting_files_list(&files, directory);
    if (are_clean_ends_over(&files) || are_launches_over(&files, options) ||
        (files.counts[EPITAPH_WAITING_DUMP] > 0 && are_dumps_over(&files, options))) {
        result = make_room_alone(&files, directory, options);
    }
    epitaph_waiting_files_free(&files);
    if (result == 0) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, result,
                             "no room can be made among the dumps in %s",
                             epitaph_capture_settings_now.directory_path);
}
