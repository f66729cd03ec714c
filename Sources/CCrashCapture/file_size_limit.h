// SPDX-License-Identifier: Apache-2.0
//
// RLIMIT_FSIZE must not keep a dump from being written. CRASH-TIME.

#ifndef EPITAPH_FILE_SIZE_LIMIT_H
#define EPITAPH_FILE_SIZE_LIMIT_H

#pragma GCC visibility push(hidden)

/// Raises the soft limit to the hard one, which every process may.
void epitaph_file_size_limit_lift(void);

/// Puts the soft limit back. Where even the hard limit was too small, each write that failed left a
/// SIGXFSZ pending; they are taken away, so that the process dies of what it crashed with.
void epitaph_file_size_limit_restore(int write_error);

#pragma GCC visibility pop

#endif
