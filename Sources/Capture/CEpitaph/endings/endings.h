// SPDX-License-Identifier: Apache-2.0
//
// How this process ends, and how earlier runs of the program ended: marks of an end, last words of
// C++ exceptions, crashes on purpose. QUIET-TIME.

#ifndef EPITAPH_ENDINGS_ENDINGS_H
#define EPITAPH_ENDINGS_ENDINGS_H

#include "epitaph_file_owner.h"
#include "epitaph_last_run.h"

#pragma GCC visibility push(hidden)

// The mark of a process that ended well.

/// Starts or stops marking the armed file when the process calls exit(3) or quick_exit(3).
void epitaph_exit_watch(bool watches);

/// Marks the armed file: the process ended well. In `displaced_signals`, bit n - 1 is set if signal
/// n no longer had our handler.
void epitaph_end_mark(uint64_t displaced_signals);

/// Remembers the displaced signals of the last check, for an end by exit(3).
void epitaph_end_note_displaced(uint64_t displaced_signals);

// Signals whose deaths are marked in the armed file. The state is locked.

/// Chooses those of `signals` (ended by 0, or NULL) that have the default action. The launch record
/// names them, so this comes before it is written.
void epitaph_signal_marks_choose(const int *signals);

/// Installs the handler for what was chosen.
void epitaph_signal_marks_install(void);

/// Puts the default action back where the handler is still ours.
void epitaph_signal_marks_uninstall(void);

// The message of a C++ exception that is not caught.

/// Makes uncaught C++ exceptions leave their type and what() for the handler. Does nothing in
/// programs without a C++ runtime.
void epitaph_terminate_handler_install(void);

/// Puts the previous terminate handler back if ours is the current one.
void epitaph_terminate_handler_uninstall(void);

/// Whether the program may be made to crash on purpose; set again by every start.
void epitaph_test_crash_allow(bool is_allowed);

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
