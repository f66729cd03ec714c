// SPDX-License-Identifier: Apache-2.0
//
// What sweeps kept of a program's runs for C: `launches/<bundle-id>@latest`, docs/database.md.
// QUIET-TIME.

#ifndef EPITAPH_ENDINGS_SWEPT_RUNS_H
#define EPITAPH_ENDINGS_SWEPT_RUNS_H

#include "endings/known_run.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
