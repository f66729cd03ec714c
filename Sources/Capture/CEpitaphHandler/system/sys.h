// SPDX-License-Identifier: Apache-2.0
//
// System calls, without libc: those of processes, threads and memory, those on files, and waits
// that end. ANY-TIME unless said otherwise.

#ifndef EPITAPH_SYSTEM_SYS_H
#define EPITAPH_SYSTEM_SYS_H

#include "system/bytes.h"

#include <sys/types.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

// The system calls that a crashing process may make, and nothing else. Every function here is
// ANY-TIME: it enters the kernel directly, uses no errno, no lock and no thread-local variable, and
// returns what the kernel returns: a negative errno on failure. Calls that can be interrupted are
// repeated on EINTR.

struct rusage;
struct rlimit;
struct utsname;

/// The kernel's `struct sigaction`, which is not libc's: asm/signal.h, the same on x86_64 and
/// aarch64.
typedef struct epitaph_kernel_sigaction {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
} epitaph_kernel_sigaction;

/// The first version of the kernel's `struct sched_attr`: sched_getattr(2). Its header cannot be
/// included together with libc's sched.h.
typedef struct epitaph_kernel_sched_attr {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_deadline_period[3];
} epitaph_kernel_sched_attr;

/// With true no function here enters the kernel from now on, and all return -ENOSYS (clocks 0),
/// until it is called with false. For a process whose seccomp filter may kill it for any call.
void epitaph_sys_silence(bool is_silent);
/// Maps the first `count` bytes of a file for reading and writing, shared with it and not inherited
/// by fork(2). Returns the address or a negative errno.
long epitaph_sys_map_shared(int fd, size_t count);
long epitaph_sys_unmap(void *memory, size_t count);
/// Maps the first `count` bytes of a file for reading and writing, shared with it and with forked
/// children: in place of what is mapped at `place`, or where the kernel likes for NULL.
long epitaph_sys_map_shared_at(int fd, void *place, size_t count);
/// Puts empty memory in place of what is mapped at `place`.
long epitaph_sys_map_over(void *place, size_t count);

// This process and its threads
int32_t epitaph_sys_getpid(void);
int32_t epitaph_sys_getppid(void);
int32_t epitaph_sys_gettid(void);
uint32_t epitaph_sys_getuid(void);
long epitaph_sys_get_thread_name(char name[16]);
/// 0 means the calling thread.
long epitaph_sys_sched_getattr(int32_t tid, epitaph_kernel_sched_attr *attributes);
long epitaph_sys_getrusage(struct rusage *usage);
/// PR_GET_SECCOMP of prctl(2): 0 if no filter is installed.
long epitaph_sys_seccomp_mode(void);
/// prlimit(2) of this process; either limit may be NULL.
long epitaph_sys_resource_limit(int resource, const struct rlimit *limit, struct rlimit *old_limit);
long epitaph_sys_uname(struct utsname *name);
/// FS base on x86_64; on aarch64 TPIDR_EL0, which needs no system call. 0 on failure.
uint64_t epitaph_sys_thread_data_address(void);
long epitaph_sys_prctl(int option, uint64_t argument);
_Noreturn void epitaph_sys_exit_group(int status);

// A second process that shares our memory, and what it does to our threads
/// clone(2): the new process calls `function` on the stack that ends at `stack_end` (a multiple of
/// 16) and exits with its result. Returns its id.
long epitaph_sys_clone_process(unsigned long flags, void *stack_end, int (*function)(void *),
                               void *argument);
long epitaph_sys_wait4(int32_t pid, int *status, int options);
long epitaph_sys_ptrace(int request, int32_t tid, uint64_t address, uint64_t data);
/// PTRACE_GETREGSET of the registers with a note type of elf.h; returns the number of bytes.
long epitaph_sys_ptrace_get_registers(int32_t tid, unsigned note_type, void *registers,
                                      size_t size);

// Signals
long epitaph_sys_sigaction(int signal, const epitaph_kernel_sigaction *action,
                           epitaph_kernel_sigaction *old_action);
/// `how` and the masks as in sigprocmask(2); a mask is 64 bits, signal n is bit n - 1.
long epitaph_sys_sigprocmask(int how, const uint64_t *mask, uint64_t *old_mask);
/// Removes one pending blocked signal of `mask` without waiting; returns its number.
long epitaph_sys_clear_pending_signal(uint64_t mask);
long epitaph_sys_tgkill(int32_t pid, int32_t tid, int signal);
/// Makes `stack` the calling thread's alternate stack, sigaltstack(2). `stack` is libc's `stack_t`.
long epitaph_sys_sigaltstack(const void *stack);
/// Reads the calling thread's alternate stack.
long epitaph_sys_sigaltstack_get(void *stack);
long epitaph_sys_tgsigqueueinfo(int32_t pid, int32_t tid, int signal, const void *info);

/// When and how often a timer sends which signal to which thread of this process.
typedef struct epitaph_kernel_timer {
    int32_t tid;
    int signal;
    uint64_t first_ns;
    uint64_t interval_ns;
    /// Returned in the signal's `si_value`, together with the code SI_TIMER.
    const void *value;
} epitaph_kernel_timer;

/// timer_create(2) and timer_settime(2)
long epitaph_sys_timer_start(int32_t *timer, const epitaph_kernel_timer *settings);
long epitaph_sys_timer_delete(int32_t timer);

// Memory, waiting, time, chance
long epitaph_sys_process_vm_readv(int32_t pid, void *buffer, uint64_t address, size_t count);
/// The same for the memory of `part_count` ranges, copied one behind the other.
long epitaph_sys_process_vm_readv_many(int32_t pid, void *buffer, size_t count,
                                       const struct iovec *parts, size_t part_count);
/// Waits until `*word` is no longer `value`, another thread wakes it, or `timeout_ns` is over.
long epitaph_sys_futex_wait(const uint32_t *word, uint32_t value, uint64_t timeout_ns);
long epitaph_sys_futex_wake(const uint32_t *word, int count);
/// Nanoseconds of `clock` (CLOCK_MONOTONIC, CLOCK_REALTIME); 0 if it cannot be read.
uint64_t epitaph_sys_clock_ns(int clock);
/// Never waits: returns -EAGAIN until the kernel has gathered enough entropy, early after boot.
long epitaph_sys_getrandom(void *bytes, size_t count);
/// madvise(2) with MADV_POPULATE_READ, Linux 5.14; both numbers are multiples of the page size.
/// Where a load would fault it returns -EFAULT.
long epitaph_sys_populate_read(uint64_t address, uint64_t count);

/// Bit 0 of each byte in `answers` is set if that page, from `address` on, is resident.
long epitaph_sys_mincore(uint64_t address, uint64_t count, uint8_t *answers);

// Limits that must not prevent a dump from being written: RLIMIT_FSIZE; RLIMIT_NOFILE, below which
// the reserved descriptors are not, if the program has lowered it; and RLIMIT_SIGPENDING, without
// which there is no timer for the watchdog. CRASH-TIME.

/// Raises the soft limits to the hard ones, which every process may.
void epitaph_resource_limits_lift(void);

/// Restores the soft limits. If even the hard limit of a file's size was too small, each write that
/// failed left a SIGXFSZ pending; they are removed, so that the process dies of the signal it
/// crashed with.
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

// The end of a wait, even without a clock: a filter may refuse clock_gettime(2), and a loop that
// waits for a time that never comes would not end. Then every pause counts as long as it was meant
// to be.

typedef struct epitaph_deadline {
    /// CLOCK_MONOTONIC; 0 if there is no clock.
    uint64_t end_ns;
    /// The rest of the wait if there is no clock.
    uint64_t left_ns;
} epitaph_deadline;

/// Nanoseconds, in which everything here counts.
static inline uint64_t epitaph_milliseconds(uint64_t count) {
    return count * 1000000;
}

epitaph_deadline epitaph_deadline_after(uint64_t timeout_ns);

/// How much time is left, at most; 0 when it is over.
uint64_t epitaph_deadline_left(const epitaph_deadline *deadline);

/// Waits on a futex(2) word while it has `value`, at most `pause_ns` and until the deadline.
/// Returns what the kernel returns.
long epitaph_deadline_wait(epitaph_deadline *deadline, const uint32_t *word, uint32_t value,
                           uint64_t pause_ns);

/// The same without a word to wait for.
void epitaph_deadline_pause(epitaph_deadline *deadline, uint64_t pause_ns);

#pragma GCC visibility pop

#endif
