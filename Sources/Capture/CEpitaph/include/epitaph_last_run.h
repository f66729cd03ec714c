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

/// docs/launch-ends.md explains the evidence for each end.
typedef enum epitaph_run_end {
    /// The launch record is missing, incomplete or of a later version.
    EPITAPH_RUN_END_UNKNOWN = 0,
    EPITAPH_RUN_CRASHED = 1,
    /// It stopped Epitaph, returned from main or called exit(3).
    EPITAPH_RUN_ENDED_CLEANLY = 2,
    /// Terminated by `signal`, one of `marked_signals`.
    EPITAPH_RUN_SIGNALLED = 3,
    /// Killed by the kernel for lack of memory; a guess unless `is_certain`.
    EPITAPH_RUN_OUT_OF_MEMORY = 4,
    /// Replaced by another program, execve(2).
    EPITAPH_RUN_EXEC = 5,
    /// Ended in this boot without a mark: SIGKILL, _exit(2) or an unmarked signal.
    EPITAPH_RUN_KILLED = 6,
    /// Orderly shutdown or reboot of the machine.
    EPITAPH_RUN_SHUTDOWN = 7,
    /// Power loss or kernel crash.
    EPITAPH_RUN_POWER_LOSS = 8,
    /// The machine rebooted; whether in order is unknown.
    EPITAPH_RUN_LOST_TO_REBOOT = 9,
} epitaph_run_end;

typedef enum epitaph_last_run_knowledge {
    /// Cannot be determined; see `reason`.
    EPITAPH_LAST_RUN_UNKNOWN = 0,
    /// This database knows of no earlier run.
    EPITAPH_LAST_RUN_NONE = 1,
    EPITAPH_LAST_RUN_KNOWN = 2,
} epitaph_last_run_knowledge;

/// The last run of a program before the caller's. Forked children do not count as runs.
typedef struct epitaph_last_run {
    epitaph_last_run_knowledge knowledge;
    epitaph_run_end end;
    /// Nonzero if the end is more than a guess.
    int is_certain;
    /// signal(7); 0 unless `end` is EPITAPH_RUN_SIGNALLED.
    int signal;
    /// Nonzero if it noted memory pressure with epitaph_memory_warning_note.
    int had_memory_warning;
    /// Nonzero if no sweep has processed it yet: the crash report does not exist, and neither an
    /// out-of-memory kill nor the cause of a reboot has been determined.
    int awaits_sweep;
    /// In its own pid namespace; 0 if unknown.
    int32_t pid;
    /// When Epitaph started in it, microseconds since 1970; 0 if unknown.
    int64_t start_us;
    /// Of the crash, clean end or signal, otherwise start or last write; microseconds since 1970.
    int64_t last_sign_us;
    /// Id of its crash report, for `dump-convert show`; "" for none. NUL-terminated.
    char report[37];
    /// One sentence if nothing is known, otherwise "". NUL-terminated.
    char reason[256];
} epitaph_last_run;

/// QUIET-TIME. Finds how the last run of `bundle_id` ended. Works before or after epitaph_start and
/// before or after a sweep such as `dump-convert process`. Changes nothing, takes no lock, and
/// reads a few kilobytes of each unswept file of the program, at most 200 files.
///
/// `crash_directory` is the option of epitaph_start; NULL if dumps are in the database.
///
/// Returns EPITAPH_OK, also if nothing is known (see `run`); EPITAPH_INVALID_OPTION for NULL or an
/// invalid bundle id.
epitaph_status epitaph_last_run_get(const char *database_path, const char *crash_directory,
                                    const char *bundle_id, epitaph_last_run *run);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
