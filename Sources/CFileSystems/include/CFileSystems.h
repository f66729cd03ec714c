// SPDX-License-Identifier: Apache-2.0
//
// What Swift's module of glibc leaves out of statfs(2) and sync(2).
#pragma once

#pragma GCC visibility push(hidden)

/// The number of the file system that an open file is on: f_type of fstatfs(2), linux/magic.h.
///
/// Returns -1 with errno set if the kernel does not say.
long epitaph_file_system_number(int file);

/// syncfs(2) of the file system that an open file is on. Returns 0, or -1 with errno.
int epitaph_file_system_synchronize(int file);

#pragma GCC visibility pop
