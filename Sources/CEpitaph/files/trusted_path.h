// SPDX-License-Identifier: Apache-2.0
//
// Opening a directory for a process of root's.

#ifndef EPITAPH_FILES_TRUSTED_PATH_H
#define EPITAPH_FILES_TRUSTED_PATH_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Opens the directory at `path` with O_PATH, made with mode 0700 if it is missing, for
/// a process of root's: each symbolic link on the way has to be root's, or the directory's owner's.
/// Another user could lead root with his link to any directory of the machine. Returns -1 with
/// errno, EPERM for such a link.
int epitaph_trusted_path_open(const char *path);

#pragma GCC visibility pop

#endif
