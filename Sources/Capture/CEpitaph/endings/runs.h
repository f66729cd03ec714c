// SPDX-License-Identifier: Apache-2.0
//
// How earlier runs of the program ended. QUIET-TIME.

#ifndef EPITAPH_ENDINGS_RUNS_H
#define EPITAPH_ENDINGS_RUNS_H

#include "epitaph_file_owner.h"
#include "epitaph_last_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// One run of a program that has ended, from whatever source.

typedef struct epitaph_known_run {
    epitaph_process_identity process;
    epitaph_run_end end;
    bool is_certain;
    int32_t signal;
    bool had_memory_warning;
    bool awaits_sweep;
    int64_t start_us;
    int64_t last_sign_us;
    /// Of the crash; all zeros for none.
    uint8_t report[16];
} epitaph_known_run;

/// The latest of the runs that were offered.
typedef struct epitaph_latest_run {
    bool is_there;
    epitaph_known_run run;
} epitaph_latest_run;

/// Takes a run if it is later than what is there.
void epitaph_latest_run_offer(epitaph_latest_run *latest, const epitaph_known_run *run);

// What sweeps kept of a program's runs for C: `launches/<bundle-id>@latest`, docs/database.md.

enum {
    EPITAPH_SWEPT_RUN_BYTES = 96,
    EPITAPH_SWEPT_RUN_LIMIT = 16,
    EPITAPH_SWEPT_HEAD_BYTES = 16,
    EPITAPH_SWEPT_SUM_BYTES = 8,
    EPITAPH_SWEPT_FILE_LIMIT = EPITAPH_SWEPT_HEAD_BYTES +
                               EPITAPH_SWEPT_RUN_LIMIT * EPITAPH_SWEPT_RUN_BYTES +
                               EPITAPH_SWEPT_SUM_BYTES,
};

/// Offers the runs of a file's bytes, any bytes, but for crashes of the process `self`, which are
/// no end. Returns why they cannot be used; NULL where they can.
const char *epitaph_swept_runs_offer(const uint8_t *bytes, size_t count,
                                     const epitaph_process_identity *self,
                                     epitaph_latest_run *latest);

/// The same for the file in the database whose directory is open. It is no error that there is
/// neither it nor a history.
const char *epitaph_swept_runs_read(int database, const char *bundle_id,
                                    const epitaph_process_identity *self,
                                    epitaph_latest_run *latest);

// Runs of a program that have ended and that no sweep has met.

/// Offers what the pending dumps of the database, whose directory is open, say of runs, and those
/// in the crash directory unless it is NULL. Returns why they cannot all be read; NULL if they can.
const char *epitaph_unswept_runs_read(int database, const char *crash_directory,
                                      const char *bundle_id, const epitaph_process_identity *self,
                                      epitaph_latest_run *latest);

#pragma GCC visibility pop

#endif
