// SPDX-License-Identifier: Apache-2.0
//
// System calls without libc, and waits with a deadline. ANY-TIME unless noted.

#ifndef EPITAPH_SYSTEM_SYS_H
#define EPITAPH_SYSTEM_SYS_H

#include "epitaph_system.h"
#include "system/bytes.h"

#include <sys/types.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

// All system calls that a crashing process may make. Every function is ANY-TIME: it enters the
// kernel directly, uses no errno, lock or thread-local variable, and returns the kernel's result, a
// negative errno on failure. Interruptible calls are repeated on EINTR.

struct rusage;
struct rlimit;
struct utsname;

/// The kernel's `struct sigaction`, not libc's: asm/signal.h, the same on x86_64 and aarch64.
typedef struct epitaph_kernel_sigaction {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
} epitaph_kernel_sigaction;

/// First version of the kernel's `struct sched_attr`, whose header conflicts with libc's sched.h.
typedef struct epitaph_kernel_sched_attr {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_deadline_period[3];
} epitaph_kernel_sched_attr;

/// While true, all calls return -ENOSYS, clocks 0: a seccomp filter might kill for any call.
void epitaph_sys_silence(bool is_silent);
/// Maps a file's start read-write, shared, not inherited by fork(2). Returns address or -errno.
long epitaph_sys_map_shared(int fd, size_t count);
long epitaph_sys_unmap(void *memory, size_t count);
/// The same, also shared with forked children, over the mapping at `place`, or anywhere if NULL.
long epitaph_sys_map_shared_at(int fd, void *place, size_t count);
/// Replaces the mapping at `place` by zeroed memory.
long epitaph_sys_map_over(void *place, size_t count);

// This process and its threads
int32_t epitaph_sys_getpid(void);
int32_t epitaph_sys_getppid(void);
int32_t epitaph_sys_gettid(void);
uint32_t epitaph_sys_getuid(void);
long epitaph_sys_get_thread_name(char name[16]);
long epitaph_sys_sched_getattr(int32_t tid, epitaph_kernel_sched_attr *attributes);
/// get_robust_list(2): where the thread, also another of this process, keeps its list, or 0.
uint64_t epitaph_sys_robust_list(int32_t tid);
long epitaph_sys_getrusage(struct rusage *usage);
/// PR_GET_SECCOMP of prctl(2): 0 without filters.
long epitaph_sys_seccomp_mode(void);
/// prlimit(2) on this process; either limit may be NULL.
long epitaph_sys_resource_limit(int resource, const struct rlimit *limit, struct rlimit *old_limit);
long epitaph_sys_uname(struct utsname *name);
/// FS base on x86_64; TPIDR_EL0 on aarch64, without a system call. 0 on failure.
uint64_t epitaph_sys_thread_data_address(void);
long epitaph_sys_prctl(int option, uint64_t argument);
/// Returns if a filter refuses it.
void epitaph_sys_exit_group(int status);

// A second process that shares our memory, and tracing
/// clone(2): the new process calls `function` on the stack ending at `stack_end` (a multiple of 16)
/// and exits with its result. Returns its id.
long epitaph_sys_clone_process(unsigned long flags, void *stack_end, int (*function)(void *),
                               void *argument);
long epitaph_sys_wait4(int32_t pid, int *status, int options);
long epitaph_sys_ptrace(int request, int32_t tid, uint64_t address, uint64_t data);
/// PTRACE_GETREGSET; `note_type` as in elf.h. Returns the number of bytes.
long epitaph_sys_ptrace_get_registers(int32_t tid, unsigned note_type, void *registers,
                                      size_t size);

// Signals
long epitaph_sys_sigaction(int signal, const epitaph_kernel_sigaction *action,
                           epitaph_kernel_sigaction *old_action);
/// As sigprocmask(2); masks have 64 bits, signal n is bit n - 1.
long epitaph_sys_sigprocmask(int how, const uint64_t *mask, uint64_t *old_mask);
/// Takes one pending blocked signal of `mask` without waiting; returns its number.
long epitaph_sys_clear_pending_signal(uint64_t mask);
long epitaph_sys_tgkill(int32_t pid, int32_t tid, int signal);
/// Sets the calling thread's alternate stack, sigaltstack(2). `stack` is libc's `stack_t`.
long epitaph_sys_sigaltstack(const void *stack);
long epitaph_sys_sigaltstack_get(void *stack);
long epitaph_sys_sigqueueinfo(int32_t pid, int signal, const void *info);
long epitaph_sys_tgsigqueueinfo(int32_t pid, int32_t tid, int signal, const void *info);

/// A timer that sends `signal` to thread `tid` of this process.
typedef struct epitaph_kernel_timer {
    int32_t tid;
    int signal;
    uint64_t first_ns;
    uint64_t interval_ns;
    const void *value;
} epitaph_kernel_timer;

long epitaph_sys_timer_start(int32_t *timer, const epitaph_kernel_timer *settings);
long epitaph_sys_timer_delete(int32_t timer);

// Memory, waiting, time, randomness
long epitaph_sys_process_vm_readv(int32_t pid, void *buffer, uint64_t address, size_t count);
/// The same for `part_count` ranges, copied one after the other.
long epitaph_sys_process_vm_readv_many(int32_t pid, void *buffer, size_t count,
                                       const struct iovec *parts, size_t part_count);
/// Waits while `*word` is `value`, until woken or for `timeout_ns`.
long epitaph_sys_futex_wait(const uint32_t *word, uint32_t value, uint64_t timeout_ns);
long epitaph_sys_futex_wake(const uint32_t *word, int count);
/// Nanoseconds of `clock`, for example CLOCK_MONOTONIC; 0 if it cannot be read.
uint64_t epitaph_sys_clock_ns(int clock);
/// Never waits: -EAGAIN early after boot, until the kernel has enough entropy.
long epitaph_sys_getrandom(void *bytes, size_t count);
/// MADV_POPULATE_READ of madvise(2), Linux 5.14; both numbers are multiples of the page size.
/// Returns -EFAULT where a load would fault.
long epitaph_sys_populate_read(uint64_t address, uint64_t count);

/// Bit 0 of each byte of `answers`: the page, counted from `address`, is resident.
long epitaph_sys_mincore(uint64_t address, uint64_t count, uint8_t *answers);

// Limits that must not prevent a dump. CRASH-TIME. RLIMIT_FSIZE; RLIMIT_NOFILE, perhaps lowered
// below the reserved descriptors; RLIMIT_SIGPENDING, without which the watchdog gets no timer.

void epitaph_resource_limits_lift(void);

/// Restores the soft limits. If even the hard file size limit was too small, each failed write left
/// a SIGXFSZ pending. These are removed, so that the process dies of its crash signal.
void epitaph_resource_limits_restore(bool has_met_size_limit);

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
long epitaph_sys_rewind(int fd);
long epitaph_sys_ftruncate(int fd, uint64_t size);
long epitaph_sys_fcntl_lock(int fd, struct flock *lock);
/// F_OFD_SETLK
long epitaph_sys_fcntl_shared_lock(int fd, struct flock *lock);
long epitaph_sys_renameat(int old_directory, const char *old_name, int new_directory,
                          const char *new_name);
long epitaph_sys_unlinkat(int directory, const char *name);
long epitaph_sys_getdents(int fd, void *buffer, size_t count);
long epitaph_sys_pipe(int ends[2]);
/// F_DUPFD_CLOEXEC: to the lowest free number from `lowest` on.
long epitaph_sys_dup_from(int fd, int lowest);
long epitaph_sys_fstat(int fd, struct stat *status);
long epitaph_sys_fstatfs(int fd, struct statfs *status);

/// Reads until `count` bytes or the end of the file; returns the count or a negative errno.
long epitaph_sys_read_full(int fd, void *buffer, size_t count);

/// openat2(2) with O_PATH and RESOLVE_CACHED. Never waits: -EAGAIN if the lookup would need a disk
/// or a server; -ENOSYS or -EINVAL before Linux 5.12.
long epitaph_sys_open_path_cached(const char *path);

/// openat(2) with O_PATH of one name of any file type. May wait for the directory's file system.
long epitaph_sys_open_path_in(int directory, const char *name);

typedef struct epitaph_file_identity {
    uint32_t device_major;
    uint32_t device_minor;
    uint64_t inode;
} epitaph_file_identity;

/// statx(2) of an open file, from the kernel's cache (AT_STATX_DONT_SYNC).
long epitaph_sys_identify_cached(int fd, epitaph_file_identity *identity);

long epitaph_sys_file_flags(int fd);
/// pwritev2(2) at the current position, as much as possible without waiting (RWF_NOWAIT).
long epitaph_sys_write_without_waiting(int fd, const void *bytes, size_t count);
/// ppoll(2) without waiting. Returns POLLOUT and the events always reported, or a negative errno.
long epitaph_sys_poll_for_writing(int fd);

// A deadline that works without a clock, because a filter may refuse clock_gettime(2). Then every
// pause counts as its planned length, and loops still end.

typedef struct epitaph_deadline {
    /// CLOCK_MONOTONIC; 0 without a clock.
    uint64_t end_ns;
    /// The rest of the wait, without a clock.
    uint64_t left_ns;
} epitaph_deadline;

static inline uint64_t epitaph_milliseconds(uint64_t count) {
    return count * 1000000;
}

epitaph_deadline epitaph_deadline_after(uint64_t timeout_ns);

/// In nanoseconds; 0 when it has passed.
uint64_t epitaph_deadline_left(const epitaph_deadline *deadline);

/// Waits on a futex(2) word while it is `value`, up to `pause_ns` and the deadline.
long epitaph_deadline_wait(epitaph_deadline *deadline, const uint32_t *word, uint32_t value,
                           uint64_t pause_ns);

void epitaph_deadline_pause(epitaph_deadline *deadline, uint64_t pause_ns);

#pragma GCC visibility pop

#endif
