// SPDX-License-Identifier: Apache-2.0
//
// Reads the start of each file left by runs of a program, changing nothing. Out-of-memory kills and
// causes of reboots are left for the sweep to determine.

#include "endings/endings.h"

#include "epitaph_file.h"
#include "files/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FILE_LIMIT = 200,
    ENTRY_LIMIT = 20000,
};

static const char unreadable[] = "the pending dumps cannot be listed";
static const char too_many[] = "more files wait to be swept than are looked at";
static const char no_memory[] = "there is no memory";
static const char untrusted[] = "another user can change the crash directory";

typedef struct unswept_files {
    int directory;
    const char *bundle_id;
    const epitaph_process_identity *self;
    epitaph_latest_run *latest;
    epitaph_used_files used;
    uint8_t *start;
} unswept_files;

static int64_t microseconds(const struct timespec *time) {
    return (int64_t)time->tv_sec * 1000000 + time->tv_nsec / 1000;
}

/// How a run without a crash ended, as far as the file alone tells.
static void judge(epitaph_known_run *run, const epitaph_file_head *head,
                  const epitaph_process_identity *self) {
    run->is_certain = true;
    if (head->contents == EPITAPH_FILE_HAS_CLEAN_END) {
        run->end = EPITAPH_RUN_ENDED_CLEANLY;
    } else if (head->end_signal != 0) {
        run->end = EPITAPH_RUN_SIGNALLED;
        run->signal = head->end_signal;
    } else if (head->contents == EPITAPH_FILE_HAS_NOTHING ||
               !epitaph_id_is_known(head->owner.boot_id) || !epitaph_id_is_known(self->boot_id)) {
        run->end = EPITAPH_RUN_END_UNKNOWN;
        run->is_certain = false;
    } else if (!epitaph_ids_are_equal(head->owner.boot_id, self->boot_id)) {
        run->end = EPITAPH_RUN_LOST_TO_REBOOT;
    } else {
        run->end = EPITAPH_RUN_KILLED;
    }
}

/// Reads the head of a file that is no longer written. Returns false if it is in use or unreadable.
static bool read_head(unswept_files *files, const char *name, bool is_locked,
                      const struct stat *status, epitaph_file_head *head, bool *was_replaced) {
    *was_replaced = false;
    if (is_locked) {
        // An empty file may be about to get its lock.
        if (status->st_size == 0 || epitaph_file_is_used_here(&files->used, name)) return false;
        epitaph_owner_verdict verdict =
            epitaph_file_owner_ask(files->directory, name, status, head, files->start);
        *was_replaced = verdict == EPITAPH_OWNER_WAS_REPLACED;
        return verdict != EPITAPH_OWNER_IS_ALIVE;
    }
    return epitaph_file_head_of(files->directory, name, head, files->start);
}

static void look_at(unswept_files *files, const char *name) {
    bool is_locked, was_replaced;
    struct stat status;
    epitaph_file_head head;
    epitaph_known_run run = {.awaits_sweep = true};
    const char *uuid =
        epitaph_dump_name_uuid(name, EPITAPH_DUMP_NAME_SIZE, files->bundle_id, &is_locked);
    // The end of a forked child is not reported.
    if (uuid == NULL || epitaph_uuid_text_is_handed_out(uuid)) return;
    if (fstatat(files->directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISREG(status.st_mode) || !epitaph_uuid_read(uuid, run.report)) return;
    if (!read_head(files, name, is_locked, &status, &head, &was_replaced)) return;
    if (head.is_child || head.is_live) return;
    run.process = head.owner;
    run.had_memory_warning = head.had_memory_warning;
    run.start_us = (int64_t)head.start_us;
    run.last_sign_us = head.end_us != 0 ? (int64_t)head.end_us : microseconds(&status.st_mtim);
    if (head.contents == EPITAPH_FILE_HAS_CRASH) {
        // The process recovered and lives on.
        if (epitaph_is_same_process(&head.owner, files->self)) return;
        run.end = EPITAPH_RUN_CRASHED;
        run.is_certain = true;
        epitaph_latest_run_offer(files->latest, &run);
        return;
    }
    // The launch's crash has a report of its own; the remaining file proves no other end.
    if (head.follows_crash && head.contents == EPITAPH_FILE_HAS_LAUNCH && head.end_signal == 0)
        return;
    memset(run.report, 0, sizeof run.report);
    judge(&run, &head, files->self);
    if (was_replaced) run.end = EPITAPH_RUN_EXEC;
    epitaph_latest_run_offer(files->latest, &run);
}

static const char *look_at_all(unswept_files *files, DIR *stream) {
    size_t bundle_bytes = strlen(files->bundle_id);
    int file_count = 0;
    int entry_count = 0;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (++entry_count > ENTRY_LIMIT) return too_many;
        if (strncmp(entry->d_name, files->bundle_id, bundle_bytes) != 0) continue;
        if (entry->d_name[bundle_bytes] != '@') continue;
        if (++file_count > FILE_LIMIT) return too_many;
        look_at(files, entry->d_name);
    }
    return NULL;
}

static const char *read_all(int fd, unswept_files files) {
    DIR *stream = fdopendir(fd);
    if (stream == NULL) {
        close(fd);
        return unreadable;
    }
    files.directory = fd;
    files.start = malloc(EPITAPH_FILE_START_BYTES);
    const char *problem = files.start == NULL ? no_memory : look_at_all(&files, stream);
    free(files.start);
    epitaph_used_files_free(&files.used);
    closedir(stream);
    return problem;
}

static const char *read_crash_directory(int database, const char *path, unswept_files files) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? NULL : unreadable;
    if (epitaph_crash_directory_objection(database, fd) == NULL) return read_all(fd, files);
    close(fd);
    return untrusted;
}

const char *epitaph_unswept_runs_read(int database, const char *crash_directory,
                                      const char *bundle_id, const epitaph_process_identity *self,
                                      epitaph_latest_run *latest) {
    const unswept_files files = {.bundle_id = bundle_id, .self = self, .latest = latest};
    const char *problem = NULL;
    int fd = openat(database, "pending-dumps", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) problem = read_all(fd, files);
    if (fd < 0 && errno != ENOENT) problem = unreadable;
    if (problem != NULL || crash_directory == NULL) return problem;
    return read_crash_directory(database, crash_directory, files);
}
