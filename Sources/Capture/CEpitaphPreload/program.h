// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_PRELOAD_PROGRAM_H
#define EPITAPH_PRELOAD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Another Epitaph in the process, to which the work is left.
typedef enum epitaph_preload_other {
    EPITAPH_PRELOAD_ALONE,
    /// Part of the program or of one of its libraries.
    EPITAPH_PRELOAD_OTHER_LINKED,
    /// Preloaded, and before this one. It reads the environment, perhaps later.
    EPITAPH_PRELOAD_OTHER_PRELOADED,
} epitaph_preload_other;

epitaph_preload_other epitaph_preload_find_other(void);

/// Removes `entry` from the colon-separated list in variable `name`, and the variable if nothing is
/// left. Edits the text in place, once for all arrays that share it; allocates nothing. `arrays` is
/// NULL-terminated: pass each array the program may use, `environ` and main's.
void epitaph_preload_take_from_list(char **arrays[], const char *name, const char *entry);

/// The same for LD_PRELOAD, which also allows blanks, ld.so(8). Matches the file name of `path`
/// only, because its directory may be written in many ways, such as $LIB.
void epitaph_preload_take_library(char **arrays[], const char *path);

void epitaph_preload_take_variables(char **arrays[], const char *prefix);

/// Fills what removals have left between an array's NULL and where its NULL was.
void epitaph_preload_fill_gap(char **end, char **earlier_end);

bool epitaph_preload_lists_library(const char *list, const char *path);

/// From now on this process, and no child of it, passes on `library` and `heap`, absolute paths of
/// which the second may be NULL, and the variables that start with EPITAPH_. Copies them; does
/// nothing if there are too many.
void epitaph_preload_carry(char **variables, const char *library, const char *heap);

/// Returns the library's path if this process passes it on, otherwise NULL, as in any child and
/// under a filter that the program installed.
const char *epitaph_preload_carried_library(void);

typedef struct epitaph_preload_addition {
    void *memory;
    size_t size;
} epitaph_preload_addition;

/// Returns `variables` (NULL: none) with those carried that are missing; NULL on failure.
char **epitaph_preload_add_carried(char *const *variables, epitaph_preload_addition *addition);

void epitaph_preload_remember_loader(void);

/// Whether a file, or a script's interpreter, is for this program's dynamic linker and runs with
/// its user's rights. False if that cannot be read. `path` NULL: the open file `directory`.
bool epitaph_preload_has_same_loader(int directory, const char *path);

#pragma GCC visibility pop

#endif
