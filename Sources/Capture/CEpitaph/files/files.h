// SPDX-License-Identifier: Apache-2.0
//
// The database and the files in it: its directory, room for one more dump, the dumps of forked
// children, and the provisional one. QUIET-TIME.

#ifndef EPITAPH_FILES_FILES_H
#define EPITAPH_FILES_FILES_H

#include "epitaph.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The database and its directory of pending dumps.

/// Opens the database and the directory in which dumps wait, making them if necessary, and stores
/// the latter's descriptor in the settings.
epitaph_status epitaph_database_open(const epitaph_options *options, epitaph_error *error);

/// Why dumps of this database may not wait in the directory `dumps`, as the end of a sentence; NULL
/// if they may.
const char *epitaph_crash_directory_objection(int database, int dumps);

/// Whether a dump file may be made: a write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end a
/// program at its start, or its child at the fork.
bool epitaph_may_write_files(void);

// Opens a directory safely for a process that runs as root.

/// QUIET-TIME. Opens the directory at `path` with O_PATH, for a process that runs as root; makes it
/// with mode 0700 if it is missing and `makes_missing` is set. Each symbolic link on the way must
/// belong to root or to the directory's owner, because another user could lead root to any
/// directory of the machine. Returns -1 with errno, EPERM for such a link.
int epitaph_trusted_path_open(const char *path, bool makes_missing);

// Makes room for one more dump under the caps.

/// Removes dumps of this bundle until there is room for one more under the caps, and counts them.
/// It leaves files of other bundles and of living owners alone.
epitaph_status epitaph_pending_make_room(const epitaph_options *options, epitaph_error *error);

// The files that forked children of this process were given, kept from piling up: a child that has
// given up its rights cannot remove its own. docs/decisions/workers-of-another-user.md. Everything
// here runs in the middle of fork(3), perhaps in a signal handler: it allocates no memory and waits
// for nothing.

/// Checks a few of the files: removes those whose children have ended without a crash, and seals
/// those with one.
void epitaph_handed_out_look_after(void);

/// Reserves an entry for one more and chooses its id. Returns the entry's number, or -1 if there
/// are too many or no random numbers.
int epitaph_handed_out_reserve(uint8_t uuid[16]);
/// The child was made, or could not be: its file may exist from now on.
void epitaph_handed_out_begin(int place);

/// Forgets all of them: in a child they are its parent's.
void epitaph_handed_out_forget(void);

// The provisional dump as the rest of this library throws it away.

/// What epitaph_provisional_dump_discard does. In a shared library a call of that would go through
/// the loader.
void epitaph_provisional_dump_drop(void);

#pragma GCC visibility pop

#endif
