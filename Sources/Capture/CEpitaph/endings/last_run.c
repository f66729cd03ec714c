// SPDX-License-Identifier: Apache-2.0
//
// How the last run ended, from the launch history and from files that nobody has swept.

#include "base/base.h"
#include "endings/endings.h"
#include "epitaph_file.h"
#include "epitaph_option_rows.h"
#include "facts/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put(epitaph_last_run *last, const epitaph_known_run *run) {
    last->knowledge = EPITAPH_LAST_RUN_KNOWN;
    last->end = run->end;
    last->is_certain = run->is_certain;
    last->signal = run->end == EPITAPH_RUN_SIGNALLED ? run->signal : 0;
    last->had_memory_warning = run->had_memory_warning;
    last->awaits_sweep = run->awaits_sweep;
    last->pid = run->process.pid;
    last->start_us = run->start_us;
    last->last_sign_us = run->last_sign_us;
    if (run->end == EPITAPH_RUN_CRASHED && epitaph_id_is_known(run->report))
        epitaph_uuid_write(last->report, run->report);
}

static void find(int database, const char *crash_directory, const char *bundle_id,
                 epitaph_last_run *last) {
    epitaph_process_identity self = epitaph_own_identity();
    epitaph_latest_run latest = {0};
    const char *problem = epitaph_swept_runs_read(database, bundle_id, &self, &latest);
    const char *other =
        epitaph_unswept_runs_read(database, crash_directory, bundle_id, &self, &latest);
    if (problem == NULL) problem = other;
    // An unreadable run could be the last one.
    if (problem != NULL) {
        snprintf(last->reason, sizeof last->reason, "%s", problem);
    } else if (latest.is_there) {
        put(last, &latest.run);
    } else {
        last->knowledge = EPITAPH_LAST_RUN_NONE;
    }
}

epitaph_status epitaph_last_run_get(const char *database_path, const char *crash_directory,
                                    const char *bundle_id, epitaph_last_run *run) {
    if (run == NULL) return EPITAPH_INVALID_OPTION;
    memset(run, 0, sizeof *run);
    if (database_path == NULL || bundle_id == NULL || !epitaph_is_bundle_id(bundle_id)) {
        return EPITAPH_INVALID_OPTION;
    }
    int database = open(database_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (database >= 0) {
        find(database, crash_directory, bundle_id, run);
        close(database);
    } else if (errno == ENOENT) {
        run->knowledge = EPITAPH_LAST_RUN_NONE;
    } else {
        epitaph_error error;
        epitaph_error_set(&error, EPITAPH_FILE_ERROR, errno, "the database cannot be opened");
        snprintf(run->reason, sizeof run->reason, "%.*s", (int)sizeof run->reason - 1,
                 error.message);
    }
    return EPITAPH_OK;
}
