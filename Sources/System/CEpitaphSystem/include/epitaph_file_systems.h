// SPDX-License-Identifier: Apache-2.0
//
// What Swift's module of glibc leaves out of statfs(2), sync(2) and getxattr(2).
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// The number of the file system that an open file is on: f_type of fstatfs(2), linux/magic.h.
///
/// Returns -1 with errno set if the kernel does not say.
long epitaph_file_system_number(int file);

/// syncfs(2) of the file system that an open file is on. Returns 0, or -1 with errno.
int epitaph_file_system_synchronize(int file);

/// Whether executing the file gives a process capabilities(7).
bool epitaph_file_gives_capabilities(const char *path);

#pragma GCC visibility pop
