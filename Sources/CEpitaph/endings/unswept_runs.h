// SPDX-License-Identifier: Apache-2.0
//
// Runs of a program that have ended and that no sweep has met. QUIET-TIME.

#ifndef EPITAPH_ENDINGS_UNSWEPT_RUNS_H
#define EPITAPH_ENDINGS_UNSWEPT_RUNS_H

#include "endings/known_run.h"

#pragma GCC visibility push(hidden)

/// Offers what the pending dumps of the database, whose directory is open, say of runs, and those
/// in the crash directory unless it is NULL. Returns why they cannot all be read; NULL if they can.
const char *epitaph_unswept_runs_read(int database, const char *crash_directory,
                                      const char *bundle_id, const epitaph_process_identity *self,
                                      epitaph_latest_run *latest);

#pragma GCC visibility pop

#endif
