// SPDX-License-Identifier: Apache-2.0
//
// A descriptor that is ours, and the proof. A program may close every descriptor it does not know
// (closefrom(3), a loop of close(2)) and open files of its own under the same numbers, or dup2(2)
// one of its own over ours. So the number proves nothing: before each use the file behind it is
// compared with the one that was opened. Internal to the package.

#ifndef EPITAPH_OWNED_FILE_H
#define EPITAPH_OWNED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct epitaph_owned_file {
    /// -1 while there is none.
    int fd;
    /// `st_dev` and `st_ino`, stat(3type). They belong to the file as long as it exists, and it
    /// exists as long as it is open or mapped anywhere.
    uint64_t device;
    uint64_t inode;
} epitaph_owned_file;

/// ANY-TIME. Moves `fd` to a high number, out of the way of a shell's `exec 3>>` and of programs
/// that assume standard input, output and error are 0 to 2 whatever is open there. Returns 0, or a
/// negative errno, in which case `fd` is closed.
long epitaph_owned_file_adopt(epitaph_owned_file *file, int fd);

/// ANY-TIME. The same under the lowest free number above standard error: for a descriptor that is
/// held in reserve to be closed in a crash, when the program may have lowered its limit. `fd` stays
/// the caller's.
long epitaph_owned_file_duplicate_low(epitaph_owned_file *file, int fd);

/// ANY-TIME. Whether the number still refers to the file that was adopted.
bool epitaph_owned_file_prove(const epitaph_owned_file *file);

/// ANY-TIME. Whether both are the same file.
bool epitaph_owned_file_equals(const epitaph_owned_file *left, const epitaph_owned_file *right);

/// ANY-TIME. Takes the descriptor of `found`, which was opened by the file's name, if it is the
/// same file; otherwise closes it and returns -ENOENT.
long epitaph_owned_file_take_back(epitaph_owned_file *file, const epitaph_owned_file *found);

/// ANY-TIME. Closes the descriptor if it is still ours, and forgets it.
void epitaph_owned_file_close(epitaph_owned_file *file);

/// QUIET-TIME. Determines where high numbers begin: below the process's limit.
void epitaph_owned_file_choose_numbers(void);

#pragma GCC visibility pop

#endif
