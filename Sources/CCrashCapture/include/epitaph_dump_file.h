// SPDX-License-Identifier: Apache-2.0
//
// A dump file and its life: armed, taken by a crash or marked at a clean end, sealed. Internal to
// the package.

#ifndef EPITAPH_DUMP_FILE_H
#define EPITAPH_DUMP_FILE_H

#include "epitaph_dump_file_state.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. A descriptor of the file that was proven just now: opened again by its name if the
/// program has closed it. A negative errno when the file is out of reach.
int epitaph_dump_file_descriptor(epitaph_dump_file *file);
/// ANY-TIME. Whether the name is gone from the directory: what is written now would be lost.
bool epitaph_dump_file_is_unlinked(epitaph_dump_file *file);
/// ANY-TIME. Takes the name's `.locked` away and closes the file; a negative errno leaves it
/// locked.
long epitaph_dump_file_seal(epitaph_dump_file *file);
/// ANY-TIME. Removes a file nothing was captured in.
void epitaph_dump_file_discard(epitaph_dump_file *file);
/// ANY-TIME. Closes the file and unmaps its head; it stays on disk as it is.
void epitaph_dump_file_close(epitaph_dump_file *file);
/// ANY-TIME. Takes an armed file for a crash; false when another thread has it or there is none.
bool epitaph_dump_file_take(epitaph_dump_file *file);

#pragma GCC visibility pop

#endif
