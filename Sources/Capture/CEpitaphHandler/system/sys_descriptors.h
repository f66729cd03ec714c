// SPDX-License-Identifier: Apache-2.0
//
// System calls on files and their descriptors, as in sys.h, and the names in a directory. ANY-TIME.

#ifndef EPITAPH_SYSTEM_SYS_DESCRIPTORS_H
#define EPITAPH_SYSTEM_SYS_DESCRIPTORS_H

#include "system/bytes.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// System calls on files and their descriptors, as in sys.h.

struct stat;
struct statfs;
struct flock;
struct iovec;

// Files
long epitaph_sys_openat(int directory, const char *path, int flags, unsigned mode);
long epitaph_sys_close(int fd);
long epitaph_sys_read(int fd, void *buffer, size_t count);
long epitaph_sys_pread(int fd, void *buffer, size_t count, uint64_t offset);
long epitaph_sys_write(int fd, const void *bytes, size_t count);
long epitaph_sys_pwritev(int fd, const struct iovec *parts, int part_count, uint64_t offset);
long epitaph_sys_pwrite(int fd, const void *bytes, size_t count, uint64_t offset);
long epitaph_sys_fallocate(int fd, int mode, uint64_t offset, uint64_t count);
long epitaph_sys_fchown(int fd, uint32_t uid, uint32_t gid);
long epitaph_sys_fchmod(int fd, uint32_t mode);
/// The next read begins at the start of the file again.
long epitaph_sys_rewind(int fd);
long epitaph_sys_ftruncate(int fd, uint64_t size);
long epitaph_sys_fcntl_lock(int fd, struct flock *lock);
/// F_OFD_SETLK: a lock of the open file, for all who share it.
long epitaph_sys_fcntl_shared_lock(int fd, struct flock *lock);
long epitaph_sys_renameat(int old_directory, const char *old_name, int new_directory,
                          const char *new_name);
long epitaph_sys_unlinkat(int directory, const char *name);
long epitaph_sys_getdents(int fd, void *buffer, size_t count);
long epitaph_sys_pipe(int ends[2]);
/// F_DUPFD_CLOEXEC: the lowest free number from `lowest` on.
long epitaph_sys_dup_from(int fd, int lowest);
long epitaph_sys_fstat(int fd, struct stat *status);
long epitaph_sys_fstatfs(int fd, struct statfs *status);

/// Reads until `count` bytes are there or the file ends; returns the count or a negative errno.
long epitaph_sys_read_full(int fd, void *buffer, size_t count);

/// openat2(2) with O_PATH and RESOLVE_CACHED: -EAGAIN if finding the file would have to wait for a
/// disk or a server, -ENOSYS or -EINVAL before Linux 5.12. Never waits.
long epitaph_sys_open_path_cached(const char *path);

/// openat(2) with O_PATH of one name, whatever it is. May wait for the directory's file system.
long epitaph_sys_open_path_in(int directory, const char *name);

/// Identifies a file: its device and its inode.
typedef struct epitaph_file_identity {
    uint32_t device_major;
    uint32_t device_minor;
    uint64_t inode;
} epitaph_file_identity;

/// statx(2) of an open file, from the kernel's cache (AT_STATX_DONT_SYNC).
long epitaph_sys_identify_cached(int fd, epitaph_file_identity *identity);

/// F_GETFL of fcntl(2).
long epitaph_sys_file_flags(int fd);
/// pwritev2(2) at the current position, as much as can be written without waiting (RWF_NOWAIT).
long epitaph_sys_write_without_waiting(int fd, const void *bytes, size_t count);
/// ppoll(2) without waiting: the pending events among POLLOUT and those that are always reported;
/// or a negative errno.
long epitaph_sys_poll_for_writing(int fd);

// The names in the output of getdents64(2): records of `struct linux_dirent64`, which are inode
// u64, offset u64, length u16, type u8 and a name that ends with NUL.

typedef struct epitaph_directory_entries {
    const uint8_t *next;
    const uint8_t *end;
} epitaph_directory_entries;

static inline epitaph_directory_entries epitaph_directory_entries_of(const void *listing,
                                                                     size_t count) {
    epitaph_directory_entries entries = {listing, (const uint8_t *)listing + count};
    return entries;
}

/// The next name, of at most `limit` bytes with its NUL; NULL if there is none, or if the record is
/// invalid.
static inline const char *epitaph_directory_entries_next(epitaph_directory_entries *entries,
                                                         size_t *limit) {
    enum { LENGTH_OFFSET = 16, NAME_OFFSET = 19 };
    size_t left = (size_t)(entries->end - entries->next);
    uint16_t bytes;
    if (left <= NAME_OFFSET) return NULL;
    epitaph_bytes_copy(&bytes, entries->next + LENGTH_OFFSET, sizeof bytes);
    if (bytes <= NAME_OFFSET || bytes > left) return NULL;
    const char *name = (const char *)entries->next + NAME_OFFSET;
    *limit = bytes - NAME_OFFSET;
    entries->next += bytes;
    return name;
}

#pragma GCC visibility pop

#endif
