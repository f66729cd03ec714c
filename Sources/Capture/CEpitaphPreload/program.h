// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_PRELOAD_PROGRAM_H
#define EPITAPH_PRELOAD_PROGRAM_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether Epitaph is in the program or one of its libraries, besides this one.
bool epitaph_preload_finds_linked_copy(void);

/// Removes `entry` from the colon-separated list in variable `name`, and the variable if nothing is
/// left. Edits the text in place, once for all arrays that share it; allocates nothing. `arrays` is
/// NULL-terminated: pass each array the program may use, `environ` and main's.
void epitaph_preload_take_from_list(char **arrays[], const char *name, const char *entry);

/// The same for LD_PRELOAD, which also allows blanks, ld.so(8). Matches the file name of `path`
/// only, because its directory may be written in many ways, such as $LIB.
void epitaph_preload_take_library(char **arrays[], const char *path);

/// Removes variables whose names start with `prefix`.
void epitaph_preload_take_variables(char **arrays[], const char *prefix);

#pragma GCC visibility pop

#endif
