// SPDX-License-Identifier: Apache-2.0
//
// A dump file and its life: armed, taken by a crash or marked at a clean end, sealed. Internal to
// the package.

#ifndef EPITAPH_DUMP_FILE_H
#define EPITAPH_DUMP_FILE_H

#include "epitaph_dump_file_state.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. A descriptor of the file that was just proven, opened again by its name if the program
/// has closed it. A negative errno if the file cannot be reached.
int epitaph_dump_file_descriptor(epitaph_dump_file *file);
/// ANY-TIME. Whether the name is gone from the directory, so that anything written now would be
/// lost.
bool epitaph_dump_file_is_unlinked(epitaph_dump_file *file);
/// ANY-TIME. Removes `.locked` from the name and closes the file; on a negative errno it stays
/// locked.
long epitaph_dump_file_seal(epitaph_dump_file *file);
/// ANY-TIME. Removes a file without a capture in it.
void epitaph_dump_file_discard(epitaph_dump_file *file);
/// ANY-TIME. Closes the file and unmaps its head; it stays on disk as it is.
void epitaph_dump_file_close(epitaph_dump_file *file);
/// ANY-TIME. Takes an armed file for a crash; false if another thread has it or there is none.
bool epitaph_dump_file_take(epitaph_dump_file *file);

#pragma GCC visibility pop

#endif
