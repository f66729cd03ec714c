// SPDX-License-Identifier: Apache-2.0
//
// Opens a directory safely for a process that runs as root.

#ifndef EPITAPH_FILES_TRUSTED_PATH_H
#define EPITAPH_FILES_TRUSTED_PATH_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Opens the directory at `path` with O_PATH, for a process that runs as root; makes it
/// with mode 0700 if it is missing and `makes_missing` is set. Each symbolic link on the way must
/// belong to root or to the directory's owner, because another user could lead root to any
/// directory of the machine. Returns -1 with errno, EPERM for such a link.
int epitaph_trusted_path_open(const char *path, bool makes_missing);

#pragma GCC visibility pop

#endif
