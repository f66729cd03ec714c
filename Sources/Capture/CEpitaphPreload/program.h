// SPDX-License-Identifier: Apache-2.0
//
// What we find in the program, and what we take out of it.

#ifndef EPITAPH_PRELOAD_PROGRAM_H
#define EPITAPH_PRELOAD_PROGRAM_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether Epitaph is in the program or in one of its libraries, besides this one.
bool epitaph_preload_finds_linked_copy(void);

// Takes out of the program's environment what was put there for this library alone.

/// Removes `entry` from the list in the variable `name`, whose entries are separated by colons, and
/// the variable if nothing is left. The text of the variable itself is changed, once for all arrays
/// that point to it; nothing is allocated. `arrays` ends with NULL: pass each that the program may
/// look into, `environ` and what main gets.
void epitaph_preload_take_from_list(char **arrays[], const char *name, const char *entry);

/// The same for LD_PRELOAD, whose entries are separated by blanks as well, ld.so(8), and for the
/// library at `path`: an entry is known by its file's name, since what comes before may be written
/// in many ways, $LIB for one.
void epitaph_preload_take_library(char **arrays[], const char *path);

/// Removes the variables whose names begin like this.
void epitaph_preload_take_variables(char **arrays[], const char *prefix);

#pragma GCC visibility pop

#endif
