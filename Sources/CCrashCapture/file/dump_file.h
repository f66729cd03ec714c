// SPDX-License-Identifier: Apache-2.0
//
// A dump file as used by the other files of this room. ANY-TIME.

#ifndef EPITAPH_FILE_DUMP_FILE_H
#define EPITAPH_FILE_DUMP_FILE_H

#include "epitaph_dump_file_state.h"

#pragma GCC visibility push(hidden)

/// Takes the owner's lock; returns a negative errno if another process has it or the file system
/// has no locks.
long epitaph_dump_file_lock(int fd);

/// Opens the file under its locked name, creating it if `flags` say so, and adopts the descriptor.
/// Returns 0 or a negative errno.
long epitaph_dump_file_open_locked(epitaph_dump_file *file, int flags);

#pragma GCC visibility pop

#endif
