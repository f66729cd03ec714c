// SPDX-License-Identifier: Apache-2.0
//
// How this process and earlier runs ended: end marks, C++ exceptions, test crashes. QUIET-TIME.

#ifndef EPITAPH_ENDINGS_ENDINGS_H
#define EPITAPH_ENDINGS_ENDINGS_H

#include "epitaph_file_owner.h"
#include "epitaph_last_run.h"

#pragma GCC visibility push(hidden)

void epitaph_exit_watch(bool watches);

/// ANY-TIME. The process is about to end without a mark, by _exit(2), or to become another program:
/// drops what is held of a fault that it has survived. Without such a fault no system call is made.
/// errno stays as it is.
void epitaph_exit_settle(void);

void epitaph_end_mark(uint64_t displaced_signals);

void epitaph_end_note_displaced(uint64_t displaced_signals);

/// Stores type and what() of uncaught exceptions. Does nothing without a C++ runtime.
void epitaph_terminate_handler_install(void);

void epitaph_terminate_handler_uninstall(void);

void epitaph_test_crash_allow(bool is_allowed);

// A finished run of a program.

typedef struct epitaph_known_run {
    epitaph_process_identity process;
    epitaph_run_end end;
    bool is_certain;
    int32_t signal;
    bool had_memory_warning;
    bool awaits_sweep;
    int64_t start_us;
    int64_t last_sign_us;
    uint8_t report[16];
} epitaph_known_run;

typedef struct epitaph_latest_run {
    bool is_there;
    epitaph_known_run run;
} epitaph_latest_run;

void epitaph_latest_run_offer(epitaph_latest_run *latest, const epitaph_known_run *run);

// Runs that sweeps have recorded, for C: `launches/<bundle-id>@latest`, docs/database.md.

enum {
    EPITAPH_SWEPT_RUN_BYTES = 96,
    EPITAPH_SWEPT_RUN_LIMIT = 16,
    EPITAPH_SWEPT_HEAD_BYTES = 16,
    EPITAPH_SWEPT_SUM_BYTES = 8,
    EPITAPH_SWEPT_FILE_LIMIT = EPITAPH_SWEPT_HEAD_BYTES +
                               EPITAPH_SWEPT_RUN_LIMIT * EPITAPH_SWEPT_RUN_BYTES +
                               EPITAPH_SWEPT_SUM_BYTES,
};

/// Offers the runs in the (untrusted) bytes of a file, except crashes of `self`, which has
/// recovered from them. Returns why the bytes are unusable, or NULL.
const char *epitaph_swept_runs_offer(const uint8_t *bytes, size_t count,
                                     const epitaph_process_identity *self,
                                     epitaph_latest_run *latest);

/// The same for the file of an open database; a missing one is no error.
const char *epitaph_swept_runs_read(int database, const char *bundle_id,
                                    const epitaph_process_identity *self,
                                    epitaph_latest_run *latest);

/// Offers finished runs that no sweep has processed, from the pending dumps of the open database
/// directory and of the crash directory unless NULL. Returns why not all can be read, or NULL.
const char *epitaph_unswept_runs_read(int database, const char *crash_directory,
                                      const char *bundle_id, const epitaph_process_identity *self,
                                      epitaph_latest_run *latest);

#pragma GCC visibility pop

#endif
