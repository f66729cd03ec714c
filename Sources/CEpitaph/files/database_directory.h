// SPDX-License-Identifier: Apache-2.0
//
// The database and its directory of pending dumps. QUIET-TIME.

#ifndef EPITAPH_FILES_DATABASE_DIRECTORY_H
#define EPITAPH_FILES_DATABASE_DIRECTORY_H

#include "epitaph.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Opens the database and the directory in which dumps wait, making them if necessary, and stores
/// the latter's descriptor in the settings.
epitaph_status epitaph_database_open(const epitaph_options *options, epitaph_error *error);

/// Why dumps of this database may not wait in the directory `dumps`, as the end of a sentence; NULL
/// if they may.
const char *epitaph_crash_directory_objection(int database, int dumps);

/// Whether a dump file may be made: a write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end a
/// program at its start, or its child at the fork.
bool epitaph_may_write_files(void);

#pragma GCC visibility pop

#endif
