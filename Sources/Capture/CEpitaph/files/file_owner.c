// SPDX-License-Identifier: Apache-2.0
//
// Evidence for epitaph_owner_judge: lock, launch record, and the process with that id.

#include "files/files.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "facts/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAT_TEXT_BYTES = 1024 };

static const char locked_ending[] = EPITAPH_LOCKED_ENDING;

static void note(epitaph_used_files *used, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *ending = strstr(name, locked_ending);
    if (ending == NULL) return;
    size_t length = (size_t)(ending - name) + sizeof locked_ending - 1;
    if (length >= EPITAPH_DUMP_NAME_SIZE) return;
    if (used->count == used->capacity) {
        size_t capacity = used->capacity == 0 ? 4 : used->capacity * 2;
        void *names = epitaph_own_memory_resize(used->names, capacity * sizeof *used->names);
        if (names == NULL) return;
        used->names = names;
        used->capacity = capacity;
    }
    memcpy(used->names[used->count], name, length);
    used->names[used->count++][length] = 0;
}

static void note_open_files(epitaph_used_files *used) {
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    epitaph_directory_reader reader = {.fd = open("/proc/self/fd", flags)};
    const char *name;
    char path[PATH_MAX];
    while ((name = epitaph_directory_next(&reader)) != NULL) {
        ssize_t length = readlinkat(reader.fd, name, path, sizeof path - 1);
        if (length <= 0) continue;
        path[length] = 0;
        note(used, path);
    }
    if (reader.fd >= 0) close(reader.fd);
}

/// If a program closes unknown descriptors, the mapping of the head remains.
static void note_mapped_files(epitaph_used_files *used) {
    epitaph_line_reader maps = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    const char *line;
    while ((line = epitaph_line_next(&maps)) != NULL) {
        const char *path = strchr(line, '/');
        if (path != NULL) note(used, path);
    }
    if (maps.fd >= 0) close(maps.fd);
}

bool epitaph_file_is_used_here(epitaph_used_files *used, const char *name) {
    if (!used->is_known) {
        used->is_known = true;
        note_open_files(used);
        note_mapped_files(used);
    }
    for (size_t i = 0; i < used->count; i++) {
        if (strcmp(used->names[i], name) == 0) return true;
    }
    return false;
}

void epitaph_used_files_free(epitaph_used_files *used) {
    epitaph_own_memory_free(used->names);
    memset(used, 0, sizeof *used);
}

/// A zombie leader with live threads is a running process.
static epitaph_process_state parse_stat(const char *text, uint64_t *start_ticks) {
    epitaph_proc_stat stat;
    if (!epitaph_proc_stat_parse(text, &stat)) return EPITAPH_PROCESS_UNKNOWN;
    *start_ticks = stat.start_ticks;
    bool is_dead = stat.state == 'Z' || stat.state == 'X' || stat.state == 'x';
    return is_dead && stat.thread_count <= 1 ? EPITAPH_PROCESS_HAS_ENDED : EPITAPH_PROCESS_RUNS;
}

/// hidepid hides processes in /proc, but kill(2) with signal 0 finds them.
static epitaph_process_state ask_state(int32_t pid, uint64_t *start_ticks) {
    char path[64], text[STAT_TEXT_BYTES];
    if (pid <= 0) return EPITAPH_PROCESS_UNKNOWN;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        bool has_ended = errno == ENOENT && kill(pid, 0) != 0 && errno == ESRCH;
        return has_ended ? EPITAPH_PROCESS_HAS_ENDED : EPITAPH_PROCESS_UNKNOWN;
    }
    ssize_t length = read(fd, text, sizeof text - 1);
    int reason = errno;
    close(fd);
    if (length < 0) {
        return reason == ESRCH ? EPITAPH_PROCESS_HAS_ENDED : EPITAPH_PROCESS_UNKNOWN;
    }
    text[length] = 0;
    return parse_stat(text, start_ticks);
}

/// If the file has a crash, an heir's lock does not count.
static epitaph_file_lock ask_lock(int fd, epitaph_file_contents contents) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (contents == EPITAPH_FILE_HAS_CRASH) lock.l_len = epitaph_owners_part_bytes;
    if (fcntl(fd, F_GETLK, &lock) != 0) return EPITAPH_FILE_LOCK_UNAVAILABLE;
    return lock.l_type == F_UNLCK ? EPITAPH_FILE_LOCK_FREE : EPITAPH_FILE_LOCK_HELD;
}

static int read_head(int fd, epitaph_file_head *head, uint8_t start[EPITAPH_FILE_START_BYTES]) {
    struct stat status;
    ssize_t count = epitaph_file_start_read(fd, start, EPITAPH_FILE_START_BYTES);
    if (count < 0 || fstat(fd, &status) != 0) return -1;
    *head = epitaph_file_head_read(start, (size_t)count, (uint64_t)status.st_size);
    return 0;
}

static epitaph_owner_verdict judge(int fd, const struct stat *status,
                                   const epitaph_file_head *head) {
    epitaph_owner_evidence evidence = {.lock = ask_lock(fd, head->contents),
                                       .asker = epitaph_own_identity(),
                                       .is_own_bundle = true};
    evidence.has_launch_record = head->contents != EPITAPH_FILE_HAS_NOTHING;
    evidence.owner = head->owner;
    evidence.age_seconds = time(NULL) - status->st_mtim.tv_sec;
    // The process marked its clean end and released the lock.
    if (head->contents == EPITAPH_FILE_HAS_CLEAN_END && evidence.lock == EPITAPH_FILE_LOCK_FREE) {
        return EPITAPH_OWNER_IS_DEAD;
    }
    if (evidence.lock != EPITAPH_FILE_LOCK_HELD) {
        evidence.state = ask_state(head->owner.pid, &evidence.running_start_ticks);
    }
    return epitaph_owner_judge(&evidence);
}

epitaph_owner_verdict epitaph_file_owner_ask(int directory, const char *name,
                                             const struct stat *status, epitaph_file_head *head,
                                             uint8_t start[EPITAPH_FILE_START_BYTES]) {
    memset(head, 0, sizeof *head);
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return EPITAPH_OWNER_IS_ALIVE;
    epitaph_owner_verdict verdict = EPITAPH_OWNER_IS_ALIVE;
    if (read_head(fd, head, start) == 0) verdict = judge(fd, status, head);
    // The owner may have crashed into the file and died since the first read. Now it is final.
    if (verdict != EPITAPH_OWNER_IS_ALIVE && read_head(fd, head, start) != 0) {
        verdict = EPITAPH_OWNER_IS_ALIVE;
    }
    close(fd);
    return verdict;
}

bool epitaph_file_head_of(int directory, const char *name, epitaph_file_head *head,
                          uint8_t start[EPITAPH_FILE_START_BYTES]) {
    memset(head, 0, sizeof *head);
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    int result = read_head(fd, head, start);
    close(fd);
    return result == 0;
}
