// SPDX-License-Identifier: Apache-2.0
//
// System calls on files and their descriptors, as in sys.c.

#include "system/sys.h"

#include "epitaph_system.h"
#include "system/sys_call.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

/// `struct statx` of linux/stat.h, which musl's sys/stat.h lacks before 1.2.5 and conflicts with.
typedef struct kernel_status {
    uint8_t before_inode[32];
    uint64_t inode;
    uint8_t before_device[96];
    uint32_t device_major;
    uint32_t device_minor;
    uint8_t after_device[112];
} kernel_status;
_Static_assert(sizeof(kernel_status) == 256, "what the kernel fills");
/// STATX_INO
static const long ask_inode = 0x100;
/// RWF_NOWAIT of linux/fs.h, which conflicts with libc headers.
static const long without_waiting = 8;

static long repeated(long number, long a, long b, long c, long d) {
    long result = -EINTR;
    for (int i = 0; i < EPITAPH_INTERRUPTIONS_LIMIT && result == -EINTR; i++)
        result = call(number, a, b, c, d, 0, 0);
    return result;
}
#define REPEATED(n, a, b, c, d) repeated(n, (long)(a), (long)(b), (long)(c), (long)(d))

long epitaph_sys_openat(int directory, const char *path, int flags, unsigned mode) {
    return REPEATED(__NR_openat, directory, path, flags, mode);
}

long epitaph_sys_close(int fd) {
    return CALL1(__NR_close, fd);
}

long epitaph_sys_read(int fd, void *buffer, size_t count) {
    return REPEATED(__NR_read, fd, buffer, count, 0);
}

long epitaph_sys_pread(int fd, void *buffer, size_t count, uint64_t offset) {
    return REPEATED(__NR_pread64, fd, buffer, count, offset);
}

long epitaph_sys_write(int fd, const void *bytes, size_t count) {
    return REPEATED(__NR_write, fd, bytes, count, 0);
}

long epitaph_sys_pwritev(int fd, const struct iovec *parts, int part_count, uint64_t offset) {
    // The offset is passed in two halves; a 64-bit kernel uses only the first.
    return REPEATED(__NR_pwritev, fd, parts, part_count, offset);
}

long epitaph_sys_pwrite(int fd, const void *bytes, size_t count, uint64_t offset) {
    return REPEATED(__NR_pwrite64, fd, bytes, count, offset);
}

long epitaph_sys_fallocate(int fd, int mode, uint64_t offset, uint64_t count) {
    return CALL4(__NR_fallocate, fd, mode, offset, count);
}

long epitaph_sys_fchown(int fd, uint32_t uid, uint32_t gid) {
    return CALL3(__NR_fchown, fd, uid, gid);
}

long epitaph_sys_fchmod(int fd, uint32_t mode) {
    return CALL2(__NR_fchmod, fd, mode);
}

long epitaph_sys_rewind(int fd) {
    return CALL3(__NR_lseek, fd, 0, SEEK_SET);
}

long epitaph_sys_ftruncate(int fd, uint64_t size) {
    return CALL2(__NR_ftruncate, fd, size);
}

long epitaph_sys_fcntl_lock(int fd, struct flock *lock) {
    return CALL3(__NR_fcntl, fd, F_SETLK, lock);
}

long epitaph_sys_fcntl_shared_lock(int fd, struct flock *lock) {
    return CALL3(__NR_fcntl, fd, F_OFD_SETLK, lock);
}

long epitaph_sys_renameat(int old_directory, const char *old_name, int new_directory,
                          const char *new_name) {
#ifdef __NR_renameat
    return CALL4(__NR_renameat, old_directory, old_name, new_directory, new_name);
#else
    return call(__NR_renameat2, old_directory, (long)old_name, new_directory, (long)new_name, 0, 0);
#endif
}

long epitaph_sys_unlinkat(int directory, const char *name) {
    return CALL3(__NR_unlinkat, directory, name, 0);
}

long epitaph_sys_getdents(int fd, void *buffer, size_t count) {
    return CALL3(__NR_getdents64, fd, buffer, count);
}

long epitaph_sys_pipe(int ends[2]) {
    return CALL2(__NR_pipe2, ends, O_CLOEXEC | O_NONBLOCK);
}

long epitaph_sys_dup_from(int fd, int lowest) {
    return CALL3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, lowest);
}

long epitaph_sys_fstat(int fd, struct stat *status) {
    // libc's struct stat is the kernel's on both architectures.
    return CALL2(__NR_fstat, fd, status);
}

long epitaph_sys_open_path_cached(const char *path) {
    struct open_how how;
    how.flags = O_PATH | O_CLOEXEC;
    how.mode = 0;
    how.resolve = RESOLVE_CACHED;
    return CALL4(__NR_openat2, AT_FDCWD, path, &how, sizeof how);
}

long epitaph_sys_open_path_in(int directory, const char *name) {
    return CALL4(__NR_openat, directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
}

long epitaph_sys_identify_cached(int fd, epitaph_file_identity *identity) {
    kernel_status status;
    long result = call(__NR_statx, fd, (long)"", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, ask_inode,
                       (long)&status, 0);
    if (result < 0) return result;
    identity->device_major = status.device_major;
    identity->device_minor = status.device_minor;
    identity->inode = status.inode;
    return 0;
}

long epitaph_sys_file_flags(int fd) {
    return CALL2(__NR_fcntl, fd, F_GETFL);
}

long epitaph_sys_write_without_waiting(int fd, const void *bytes, size_t count) {
    struct iovec part = {(void *)(uintptr_t)bytes, count};
    return call(__NR_pwritev2, fd, (long)&part, 1, -1, -1, without_waiting);
}

long epitaph_sys_poll_for_writing(int fd) {
    struct pollfd entry = {fd, POLLOUT, 0};
    struct timespec none;
    none.tv_sec = 0;
    none.tv_nsec = 0;
    long result = call(__NR_ppoll, (long)&entry, 1, (long)&none, 0, 0, 0);
    return result < 0 ? result : entry.revents;
}

long epitaph_sys_fstatfs(int fd, struct statfs *status) {
    return CALL2(__NR_fstatfs, fd, status);
}

long epitaph_sys_read_full(int fd, void *buffer, size_t count) {
    size_t done = 0;
    while (done < count) {
        long got = epitaph_sys_read(fd, (char *)buffer + done, count - done);
        if (got < 0) return got;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (long)done;
}
