// SPDX-License-Identifier: Apache-2.0
//
// How the last run of a program ended. Comes with epitaph.h.
//
//     epitaph_last_run last;
//     epitaph_last_run_get("/var/lib/myd/crashes", NULL, "com.example.myd", &last);
//     if (last.knowledge == EPITAPH_LAST_RUN_KNOWN && last.end == EPITAPH_RUN_CRASHED)
//         enter_safe_mode(last.report);

#ifndef EPITAPH_LAST_RUN_H
#define EPITAPH_LAST_RUN_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// How a run ended. docs/launch-ends.md says what each of them rests on.
typedef enum epitaph_run_end {
    /// Its launch record is missing or incomplete, or a later version's.
    EPITAPH_RUN_END_UNKNOWN = 0,
    EPITAPH_RUN_CRASHED = 1,
    /// It stopped Epitaph, returned from main or called exit(3).
    EPITAPH_RUN_ENDED_CLEANLY = 2,
    /// It ended by the signal `signal`, which was among `marked_signals`.
    EPITAPH_RUN_SIGNALLED = 3,
    /// The kernel ended it for lack of memory; a guess unless `is_certain`.
    EPITAPH_RUN_OUT_OF_MEMORY = 4,
    /// The process became another program, execve(2).
    EPITAPH_RUN_EXEC = 5,
    /// It ended in this boot without a mark: SIGKILL, _exit(2), or a signal that was not marked.
    EPITAPH_RUN_KILLED = 6,
    /// The machine was shut down or restarted in order.
    EPITAPH_RUN_SHUTDOWN = 7,
    /// The machine lost its power, or its kernel crashed.
    EPITAPH_RUN_POWER_LOSS = 8,
    /// The machine was restarted meanwhile; whether in order is not known.
    EPITAPH_RUN_LOST_TO_REBOOT = 9,
} epitaph_run_end;

/// Whether there is an answer.
typedef enum epitaph_last_run_knowledge {
    /// It cannot be found out; `reason` says why.
    EPITAPH_LAST_RUN_UNKNOWN = 0,
    /// There was none, as far as this database knows.
    EPITAPH_LAST_RUN_NONE = 1,
    /// The other fields say how it ended.
    EPITAPH_LAST_RUN_KNOWN = 2,
} epitaph_last_run_knowledge;

/// The last run of a program, apart from the one that asks. Forked children are no runs.
typedef struct epitaph_last_run {
    epitaph_last_run_knowledge knowledge;
    epitaph_run_end end;
    /// Nonzero where the end is more than a guess.
    int is_certain;
    /// signal(7); 0 unless `end` is EPITAPH_RUN_SIGNALLED.
    int signal;
    /// Nonzero when it was told that memory is short, epitaph_memory_warning_note.
    int had_memory_warning;
    /// Nonzero when no sweep has looked at it yet: then neither the report of a crash is there, nor
    /// has been asked whether a process that was killed was killed for lack of memory, nor why the
    /// machine was restarted.
    int awaits_sweep;
    /// Its process id, in its own pid namespace; 0 if not known.
    int32_t pid;
    /// When Epitaph was started in it, microseconds since 1970; 0 if not known.
    int64_t start_us;
    /// When it was certainly still there: the time of the crash, of the clean end or of the signal,
    /// otherwise when it started or wrote its file last. Microseconds since 1970.
    int64_t last_sign_us;
    /// The id of the report of its crash, which `dump-convert show` takes; empty for none. Ends
    /// with NUL.
    char report[37];
    /// Why nothing is known, as a sentence; empty otherwise. Ends with NUL.
    char reason[256];
} epitaph_last_run;

/// QUIET-TIME. Finds out how the last run of the program `bundle_id` ended, before epitaph_start or
/// after it, and whether or not a sweep (`dump-convert process`, for example) came before. It
/// changes nothing, waits for no lock, and reads some kilobytes of each file that the program's
/// runs left and nobody has swept, of 200 files at most.
///
/// `crash_directory` is what epitaph_start gets as the option of that name: NULL if the dumps wait
/// in the database.
///
/// Returns EPITAPH_OK, also where nothing is known, which `run` says; EPITAPH_INVALID_OPTION for a
/// NULL, or a bundle id that no program can have.
epitaph_status epitaph_last_run_get(const char *database_path, const char *crash_directory,
                                    const char *bundle_id, epitaph_last_run *run);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
