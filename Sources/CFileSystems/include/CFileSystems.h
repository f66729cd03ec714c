// SPDX-License-Identifier: Apache-2.0
//
// What Swift's module of glibc leaves out of statfs(2).
#pragma once

#pragma GCC visibility push(hidden)

/// The number of the file system that an open file is on: f_type of fstatfs(2), linux/magic.h.
///
/// Returns -1 with errno set where the kernel does not tell.
long epitaph_file_system_number(int file);

#pragma GCC visibility pop
