// SPDX-License-Identifier: Apache-2.0
//
// The launch history is JSON, which C cannot parse. This file next to it has the latest runs in
// fixed fields with a checksum; it is replaced before the history (LatestLaunches.swift).

#include "endings/endings.h"

#include "base/base.h"
#include "epitaph_dump_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VERSION = 1,
    FLAG_MEMORY_WARNING = 1,
    FLAG_CERTAIN = 2,
    NAME_SIZE = 256,
};

static const char unreadable[] = "the record of the program's runs cannot be read";
static const char damaged[] = "the record of the program's runs is damaged";
static const char later[] = "the record of the program's runs was written by a later version";
static const char missing[] =
    "the launch history was written by a version that kept no record for C programs";

/// 64-bit FNV-1a, against truncated files, not forgers, who could also write the history.
static uint64_t sum_of(const uint8_t *bytes, size_t count) {
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3;
    return sum;
}

static epitaph_known_run run_at(const uint8_t record[EPITAPH_SWEPT_RUN_BYTES]) {
    epitaph_known_run run = {0};
    memcpy(run.report, record + 16, sizeof run.report);
    memcpy(run.process.boot_id, record + 32, sizeof run.process.boot_id);
    run.process.start_ticks = epitaph_dump_integer(record + 48, 8);
    run.process.pid_namespace = epitaph_dump_integer(record + 56, 8);
    run.start_us = (int64_t)epitaph_dump_integer(record + 64, 8);
    run.last_sign_us = (int64_t)epitaph_dump_integer(record + 72, 8);
    run.process.pid = (int32_t)epitaph_dump_integer(record + 80, 4);
    run.signal = (int32_t)epitaph_dump_integer(record + 84, 4);
    run.end = record[88] <= EPITAPH_RUN_LOST_TO_REBOOT ? (epitaph_run_end)record[88]
                                                       : EPITAPH_RUN_END_UNKNOWN;
    run.had_memory_warning = (record[89] & FLAG_MEMORY_WARNING) != 0;
    run.is_certain = (record[89] & FLAG_CERTAIN) != 0;
    return run;
}

const char *epitaph_swept_runs_offer(const uint8_t *bytes, size_t count,
                                     const epitaph_process_identity *self,
                                     epitaph_latest_run *latest) {
    if (count < EPITAPH_SWEPT_HEAD_BYTES || memcmp(bytes, "EPLR", 4) != 0) return damaged;
    uint64_t version = epitaph_dump_integer(bytes + 4, 4);
    if (version != VERSION) return version > VERSION && version < 100 ? later : damaged;
    uint64_t run_count = epitaph_dump_integer(bytes + 8, 4);
    if (run_count > EPITAPH_SWEPT_RUN_LIMIT) return damaged;
    size_t runs_end = EPITAPH_SWEPT_HEAD_BYTES + (size_t)run_count * EPITAPH_SWEPT_RUN_BYTES;
    if (count != runs_end + EPITAPH_SWEPT_SUM_BYTES) return damaged;
    if (epitaph_dump_integer(bytes + runs_end, 8) != sum_of(bytes, runs_end)) return damaged;
    for (uint64_t i = 0; i < run_count; i++) {
        epitaph_known_run run =
            run_at(bytes + EPITAPH_SWEPT_HEAD_BYTES + i * EPITAPH_SWEPT_RUN_BYTES);
        // A crash from which this process recovered ends no run.
        if (run.end == EPITAPH_RUN_CRASHED && epitaph_is_same_process(&run.process, self)) {
            continue;
        }
        epitaph_latest_run_offer(latest, &run);
    }
    return NULL;
}

/// Reads a small regular file. Returns -1 with errno, EINVAL if it is not regular.
static ssize_t read_file(int directory, const char *name, uint8_t *bytes, size_t size) {
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return -1;
    struct stat status;
    ssize_t count = -1;
    errno = EINVAL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        count = epitaph_file_start_read(fd, bytes, size);
    }
    int reason = errno;
    close(fd);
    errno = reason;
    return count;
}

static bool is_there(int directory, const char *bundle_id, const char *ending) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s%s", bundle_id, ending);
    return faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

const char *epitaph_swept_runs_read(int database, const char *bundle_id,
                                    const epitaph_process_identity *self,
                                    epitaph_latest_run *latest) {
    int directory = openat(database, "launches", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (directory < 0) return errno == ENOENT ? NULL : unreadable;
    // One byte more than the limit, to detect longer files.
    uint8_t bytes[EPITAPH_SWEPT_FILE_LIMIT + 1];
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s@latest", bundle_id);
    const char *problem;
    ssize_t count = read_file(directory, name, bytes, sizeof bytes);
    if (count >= 0) {
        problem = epitaph_swept_runs_offer(bytes, (size_t)count, self, latest);
    } else if (errno != ENOENT) {
        problem = unreadable;
    } else {
        problem = is_there(directory, bundle_id, ".json") ? missing : NULL;
    }
    close(directory);
    return problem;
}

void epitaph_latest_run_offer(epitaph_latest_run *latest, const epitaph_known_run *run) {
    if (latest->is_there && latest->run.last_sign_us > run->last_sign_us) return;
    latest->is_there = true;
    latest->run = *run;
}
