// SPDX-License-Identifier: Apache-2.0

#ifndef SURROUNDINGS_H
#define SURROUNDINGS_H

/// Makes the surroundings hostile in the way called `setting`, if it is one of these; else does
/// nothing.
///
/// - `enosys`, `eperm`, `kill`: a seccomp filter's answer to process_vm_readv(2), ptrace(2) and
///   pread64(2), which is how /proc/self/mem is read
/// - `deny-CALL`: a seccomp filter answers EPERM to that system call
/// - `no-files`: the table of open files is full
/// - `no-processes`: RLIMIT_NPROC is 0
/// - `soft-file-size`, `hard-file-size`: RLIMIT_FSIZE is 0, and whether it can be raised again
/// - `full-disk`: the disk of the database has no block left
/// - `no-database`: the database directory is gone
/// - `no-armed-file`: the armed dump file alone is gone
/// - `empty-armed-file`: somebody has truncated it
/// - `closed-all`: all descriptors but the standard ones were closed, and others opened since
void surround(const char *setting, const char *database);

#endif
