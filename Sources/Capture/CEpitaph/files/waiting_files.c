// SPDX-License-Identifier: Apache-2.0
//
// Lists the pending directory and classifies each file by its name, its lock and its launch record.

#include "files/files.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 512,
    /// Block size and metadata of the file system.
    USUAL_SLACK_BYTES = 64 << 10,
};

/// Frees unused reserved blocks: here, because it may block the disk for milliseconds.
static void give_back_blocks(int directory, const char *name, struct stat *status) {
    int64_t taken = (int64_t)status->st_blocks * BLOCK_BYTES;
    if (taken <= status->st_size + USUAL_SLACK_BYTES) return;
    int fd = openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    struct stat present;
    // In a directory of another user the file may have been replaced.
    if (fstat(fd, &present) == 0 && present.st_ino == status->st_ino &&
        present.st_dev == status->st_dev && present.st_nlink == 1 &&
        present.st_size == status->st_size) {
        // Dumps are removed by age: keep the time of the crash.
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, status->st_mtim};
        if (ftruncate(fd, status->st_size) == 0 && futimens(fd, times) == 0) fstat(fd, status);
    }
    close(fd);
}

static epitaph_waiting_kind locked_kind(int directory, const char *name, bool is_handed_out,
                                        const struct stat *status, epitaph_used_files *used) {
    epitaph_file_head head;
    uint8_t start[EPITAPH_FILE_START_BYTES];
    // An empty file may be about to get its lock.
    if (status->st_size == 0 || epitaph_file_is_used_here(used, name)) {
        return EPITAPH_WAITING_KIND_COUNT;
    }
    epitaph_owner_verdict verdict = epitaph_file_owner_ask(directory, name, status, &head, start);
    if (verdict == EPITAPH_OWNER_IS_ALIVE) return EPITAPH_WAITING_KIND_COUNT;
    switch (head.contents) {
    case EPITAPH_FILE_HAS_CRASH: return EPITAPH_WAITING_DUMP;
    case EPITAPH_FILE_HAS_CLEAN_END:
        if (!is_handed_out) return EPITAPH_WAITING_CLEAN_END;
        break;
    case EPITAPH_FILE_HAS_NOTHING:
    case EPITAPH_FILE_HAS_LAUNCH: break;
    }
    // Including this process before an execve(2): the sweep reports that it became this program.
    if (!is_handed_out) return EPITAPH_WAITING_LAUNCH;
    epitaph_waiting_name_remove(directory, name);
    return EPITAPH_WAITING_KIND_COUNT;
}

static bool is_waiting(int directory, const char *name, epitaph_waiting_file *file,
                       epitaph_used_files *used) {
    bool is_locked;
    struct stat status;
    const char *uuid = epitaph_dump_name_uuid(name, EPITAPH_DUMP_NAME_SIZE,
                                              epitaph_capture_settings_now.bundle_id, &is_locked);
    if (uuid == NULL) return false;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    file->kind = EPITAPH_WAITING_DUMP;
    if (is_locked) {
        // The end of a forked child is not reported.
        bool is_handed_out = epitaph_uuid_text_is_handed_out(uuid);
        file->kind = locked_kind(directory, name, is_handed_out, &status, used);
    }
    if (file->kind == EPITAPH_WAITING_KIND_COUNT) return false;
    give_back_blocks(directory, name, &status);
    strcpy(file->name, name);
    file->written = status.st_mtim;
    file->bytes = (uint64_t)status.st_blocks * BLOCK_BYTES;
    return true;
}

static bool add(epitaph_waiting_files *files, const epitaph_waiting_file *file) {
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? 64 : files->capacity * 2;
        epitaph_waiting_file *items =
            epitaph_own_memory_resize(files->items, capacity * sizeof *items);
        if (items == NULL) return false;
        files->items = items;
        files->capacity = capacity;
    }
    files->items[files->count++] = *file;
    files->counts[file->kind]++;
    files->bytes[file->kind] += file->bytes;
    return true;
}

static int compare(const epitaph_waiting_file *left, const epitaph_waiting_file *right) {
    if (left->kind != right->kind) return left->kind < right->kind ? -1 : 1;
    if (left->written.tv_sec != right->written.tv_sec) {
        return left->written.tv_sec < right->written.tv_sec ? -1 : 1;
    }
    if (left->written.tv_nsec != right->written.tv_nsec) {
        return left->written.tv_nsec < right->written.tv_nsec ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

/// Shell's sort, because qsort(3) may allocate.
static void sort(epitaph_waiting_file *items, size_t count) {
    for (size_t gap = count / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < count; i++) {
            epitaph_waiting_file item = items[i];
            size_t place = i;
            for (; place >= gap && compare(&items[place - gap], &item) > 0; place -= gap)
                items[place] = items[place - gap];
            items[place] = item;
        }
    }
}

void epitaph_waiting_files_list(epitaph_waiting_files *files, int directory) {
    memset(files, 0, sizeof *files);
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    epitaph_directory_reader reader = {.fd = openat(directory, ".", flags)};
    if (reader.fd < 0) return;
    epitaph_used_files used = {0};
    epitaph_waiting_file file;
    const char *name;
    while ((name = epitaph_directory_next(&reader)) != NULL) {
        if (is_waiting(directory, name, &file, &used) && !add(files, &file)) break;
    }
    close(reader.fd);
    epitaph_used_files_free(&used);
    sort(files->items, files->count);
}

void epitaph_waiting_files_free(epitaph_waiting_files *files) {
    epitaph_own_memory_free(files->items);
    memset(files, 0, sizeof *files);
}

int epitaph_waiting_name_remove(int directory, const char *name) {
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool is_taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    int result = is_taken || unlinkat(directory, name, 0) == 0 || errno == ENOENT ? 0 : errno;
    if (fd >= 0) close(fd);
    return result;
}

int epitaph_waiting_file_remove(epitaph_waiting_files *files, size_t index, int directory) {
    epitaph_waiting_file *file = &files->items[index];
    int result = epitaph_waiting_name_remove(directory, file->name);
    if (result != 0) return result;
    files->counts[file->kind]--;
    files->bytes[file->kind] -= file->bytes;
    files->count--;
    memmove(file, file + 1, (files->count - index) * sizeof *file);
    return 0;
}
