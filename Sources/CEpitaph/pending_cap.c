// SPDX-License-Identifier: Apache-2.0
//
// A crash loop must not fill a disk. Before a file is armed, dumps of the same bundle are removed
// until one more fits under the caps. docs/decisions/pending-caps.md tells which go.

#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    UUID_TEXT_BYTES = 36,
    BLOCK_BYTES = 512,
    LAUNCH_RECORD_LIMIT_BYTES = 8192,
    /// Blocks of a file system, and what it needs for its own use.
    USUAL_SLACK_BYTES = 64 << 10,
};

typedef struct waiting_file {
    char name[EPITAPH_DUMP_NAME_SIZE];
    struct timespec written;
    /// What it takes on the disk.
    uint64_t bytes;
    /// Locked, its owner dead, and too small for a crash: the least valuable.
    int is_launch_record;
} waiting_file;

typedef struct waiting_files {
    waiting_file *items;
    size_t count;
    size_t capacity;
    uint64_t bytes;
    size_t removed_dumps;
} waiting_files;

/// Whether some process holds the record lock, or nobody can tell.
static int may_be_owned(int directory, const char *name) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return 1;
    int asked = fcntl(fd, F_GETLK, &lock);
    close(fd);
    return asked != 0 || lock.l_type != F_UNLCK;
}

/// The blocks that were set aside for a crash and not needed go back to the disk. Not when a dump
/// is sealed: that may make the disk work, a tenth of the time a small crash takes.
static void give_back_blocks(int directory, const char *name, struct stat *status) {
    int64_t taken = (int64_t)status->st_blocks * BLOCK_BYTES;
    if (taken <= status->st_size + USUAL_SLACK_BYTES) return;
    int fd = openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    // Age decides which dumps go: the time of the crash stays.
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, status->st_mtim};
    if (ftruncate(fd, status->st_size) == 0 && futimens(fd, times) == 0) fstat(fd, status);
    close(fd);
}

/// Fills in `file` for a sealed dump of this bundle, or a locked file whose owner is dead.
static int is_waiting(int directory, const char *name, waiting_file *file) {
    const char *bundle_id = epitaph_capture_settings_now.bundle_id;
    size_t bundle_bytes = strlen(bundle_id);
    if (strncmp(name, bundle_id, bundle_bytes) != 0 || name[bundle_bytes] != '@') return 0;
    const char *uuid = name + bundle_bytes + 1;
    if (strlen(name) >= sizeof file->name || strcspn(uuid, ".") != UUID_TEXT_BYTES) return 0;
    const char *ending = uuid + UUID_TEXT_BYTES;
    int is_locked = strcmp(ending, ".locked") == 0;
    if (*ending != 0 && !is_locked) return 0;
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
        return 0;
    }
    // An empty one may be about to get its lock.
    if (is_locked && (status.st_size == 0 || may_be_owned(directory, name))) return 0;
    give_back_blocks(directory, name, &status);
    strcpy(file->name, name);
    file->written = status.st_mtim;
    file->bytes = (uint64_t)status.st_blocks * BLOCK_BYTES;
    file->is_launch_record = is_locked && status.st_size < LAUNCH_RECORD_LIMIT_BYTES;
    return 1;
}

static int add(waiting_files *files, const waiting_file *file) {
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? 64 : files->capacity * 2;
        waiting_file *items = realloc(files->items, capacity * sizeof *items);
        if (items == NULL) return 0;
        files->items = items;
        files->capacity = capacity;
    }
    files->items[files->count++] = *file;
    files->bytes += file->bytes;
    return 1;
}

/// Launch records first, then by age, the oldest first.
static int compare(const void *left_item, const void *right_item) {
    const waiting_file *left = left_item;
    const waiting_file *right = right_item;
    if (left->is_launch_record != right->is_launch_record) {
        return right->is_launch_record - left->is_launch_record;
    }
    if (left->written.tv_sec != right->written.tv_sec) {
        return left->written.tv_sec < right->written.tv_sec ? -1 : 1;
    }
    if (left->written.tv_nsec != right->written.tv_nsec) {
        return left->written.tv_nsec < right->written.tv_nsec ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

static void list(int directory, waiting_files *files) {
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (stream == NULL) {
        if (fd >= 0) close(fd);
        return;
    }
    waiting_file file;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (is_waiting(directory, entry->d_name, &file) && !add(files, &file)) break;
    }
    closedir(stream);
    if (files->count > 0) qsort(files->items, files->count, sizeof *files->items, compare);
}

/// Removes one file unless a conversion has it: that will remove it itself. Returns 0 or an errno.
static int remove_file(int directory, const char *name) {
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int is_taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    int result = is_taken || unlinkat(directory, name, 0) == 0 || errno == ENOENT ? 0 : errno;
    if (fd >= 0) close(fd);
    return result;
}

/// Room for the file to be armed is needed too.
static int is_over(const waiting_files *files, const epitaph_options *options) {
    return files->count >= options->max_pending_dumps ||
           files->bytes + options->reserved_bytes > options->max_pending_bytes;
}

static int make_room(int directory, waiting_files *files, const epitaph_options *options) {
    while (files->count > 0 && is_over(files, options)) {
        size_t index = files->items[0].is_launch_record ? 0 : files->count / 2;
        waiting_file *file = &files->items[index];
        int result = remove_file(directory, file->name);
        if (result != 0) return result;
        if (!file->is_launch_record) files->removed_dumps++;
        files->bytes -= file->bytes;
        files->count--;
        memmove(file, file + 1, (files->count - index) * sizeof *file);
    }
    return 0;
}

/// The file that counts, locked so that only one process makes room at a time; a negative errno
/// when that cannot be, EWOULDBLOCK when another process does.
static int open_count(int directory) {
    char name[EPITAPH_DUMP_NAME_SIZE];
    epitaph_pending_dropped_name(name);
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return fd;
    close(fd);
    return -EWOULDBLOCK;
}

static int make_room_and_count(int directory, waiting_files *files,
                               const epitaph_options *options) {
    int count_fd = open_count(directory);
    if (count_fd < 0) return count_fd == -EWOULDBLOCK ? 0 : -count_fd;
    int result = make_room(directory, files, options);
    for (size_t i = 0; i < files->removed_dumps; i++) {
        if (write(count_fd, ".", 1) != 1) break;
    }
    close(count_fd);
    return result;
}

epitaph_status epitaph_pending_make_room(const epitaph_options *options, epitaph_error *error) {
    int directory = epitaph_capture_settings_now.directory.fd;
    waiting_files files = {0};
    int result = 0;
    list(directory, &files);
    if (files.count > 0 && is_over(&files, options)) {
        result = make_room_and_count(directory, &files, options);
    }
    free(files.items);
    if (result == 0) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, result,
                             "no room can be made among the dumps in %s/pending-dumps",
                             options->database_path);
}
