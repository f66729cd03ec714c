// SPDX-License-Identifier: Apache-2.0
//
// The only file with system calls at crash time. libc's wrappers are not used: they set errno,
// which is a thread-local variable, may be cancellation points, and may be interposed by the
// program.

#include "sys.h"

#include "bytes.h"

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <linux/ptrace.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#if defined(__x86_64__)
#include "sys_x86_64.h"
#include <asm/prctl.h>
#elif defined(__aarch64__)
#include "sys_aarch64.h"
#else
#error "Epitaph runs on x86_64 and aarch64"
#endif

static int is_silent;

void epitaph_sys_silence(int silent) {
    __atomic_store_n(&is_silent, silent, __ATOMIC_RELEASE);
}

static long call(long number, long a, long b, long c, long d, long e, long f) {
    if (__atomic_load_n(&is_silent, __ATOMIC_RELAXED)) return -ENOSYS;
    return system_call(number, a, b, c, d, e, f);
}

#define CALL0(n) call(n, 0, 0, 0, 0, 0, 0)
#define CALL1(n, a) call(n, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(n, a, b) call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(n, a, b, c) call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(n, a, b, c, d) call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#define KERNEL_MASK_SIZE sizeof(uint64_t)

/// linux/random.h, which defines structures we do not need.
#define GRND_NONBLOCK 1

long epitaph_sys_openat(int directory, const char *path, int flags, unsigned mode) {
    long result;
    do {
        result = CALL4(__NR_openat, directory, path, flags, mode);
    } while (result == -EINTR);
    return result;
}

long epitaph_sys_close(int fd) {
    return CALL1(__NR_close, fd);
}

long epitaph_sys_read(int fd, void *buffer, size_t count) {
    long result;
    do {
        result = CALL3(__NR_read, fd, buffer, count);
    } while (result == -EINTR);
    return result;
}

long epitaph_sys_pread(int fd, void *buffer, size_t count, uint64_t offset) {
    long result;
    do {
        result = CALL4(__NR_pread64, fd, buffer, count, offset);
    } while (result == -EINTR);
    return result;
}

long epitaph_sys_write(int fd, const void *bytes, size_t count) {
    long result;
    do {
        result = CALL3(__NR_write, fd, bytes, count);
    } while (result == -EINTR);
    return result;
}

long epitaph_sys_pwritev(int fd, const struct iovec *parts, int part_count, uint64_t offset) {
    long result;
    do {
        // The offset is passed in two halves, of which a 64-bit kernel takes the first whole.
        result = CALL4(__NR_pwritev, fd, parts, part_count, offset);
    } while (result == -EINTR);
    return result;
}

long epitaph_sys_pwrite(int fd, const void *bytes, size_t count, uint64_t offset) {
    long result;
    do {
        result = CALL4(__NR_pwrite64, fd, bytes, count, offset);
    } while (result == -EINTR);
    return result;
}

long epitaph_sys_fallocate(int fd, int mode, uint64_t offset, uint64_t count) {
    return CALL4(__NR_fallocate, fd, mode, offset, count);
}

long epitaph_sys_ftruncate(int fd, uint64_t size) {
    return CALL2(__NR_ftruncate, fd, size);
}

long epitaph_sys_fcntl_lock(int fd, struct flock *lock) {
    return CALL3(__NR_fcntl, fd, F_SETLK, lock);
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
    struct statx status;
    long result = call(__NR_statx, fd, (long)"", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO,
                       (long)&status, 0);
    if (result < 0) return result;
    identity->device_major = status.stx_dev_major;
    identity->device_minor = status.stx_dev_minor;
    identity->inode = status.stx_ino;
    return 0;
}

long epitaph_sys_file_flags(int fd) {
    return CALL2(__NR_fcntl, fd, F_GETFL);
}

long epitaph_sys_write_without_waiting(int fd, const void *bytes, size_t count) {
    struct iovec part = {(void *)(uintptr_t)bytes, count};
    // The offset is passed in two halves, of which a 64-bit kernel takes the first whole.
    return call(__NR_pwritev2, fd, (long)&part, 1, -1, -1, RWF_NOWAIT);
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

long epitaph_sys_map_shared(int fd, size_t count) {
    long address = call(__NR_mmap, 0, (long)count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address < 0 && address > -4096) return address;
    long result = CALL3(__NR_madvise, address, count, MADV_DONTFORK);
    if (result == 0) return address;
    CALL2(__NR_munmap, address, count);
    return result;
}

long epitaph_sys_unmap(void *memory, size_t count) {
    return CALL2(__NR_munmap, memory, count);
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

int32_t epitaph_sys_getpid(void) {
    return (int32_t)CALL0(__NR_getpid);
}

int32_t epitaph_sys_getppid(void) {
    return (int32_t)CALL0(__NR_getppid);
}

int32_t epitaph_sys_gettid(void) {
    return (int32_t)CALL0(__NR_gettid);
}

uint32_t epitaph_sys_getuid(void) {
    return (uint32_t)CALL0(__NR_getuid);
}

long epitaph_sys_get_thread_name(char name[16]) {
    return CALL2(__NR_prctl, PR_GET_NAME, name);
}

long epitaph_sys_sched_getattr(int32_t tid, epitaph_kernel_sched_attr *attributes) {
    return CALL4(__NR_sched_getattr, tid, attributes, sizeof *attributes, 0);
}

long epitaph_sys_getrusage(struct rusage *usage) {
    return CALL2(__NR_getrusage, RUSAGE_SELF, usage);
}

long epitaph_sys_seccomp_mode(void) {
    return CALL1(__NR_prctl, PR_GET_SECCOMP);
}

long epitaph_sys_resource_limit(int resource, const struct rlimit *limit,
                                struct rlimit *old_limit) {
    return CALL4(__NR_prlimit64, 0, resource, limit, old_limit);
}

long epitaph_sys_uname(struct utsname *name) {
    return CALL1(__NR_uname, name);
}

uint64_t epitaph_sys_thread_data_address(void) {
    uint64_t address = 0;
#if defined(__x86_64__)
    // Not by reading %fs:0: a thread that a raw clone(2) made may have no such page.
    if (CALL2(__NR_arch_prctl, ARCH_GET_FS, &address) < 0) return 0;
#else
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(address));
#endif
    return address;
}

long epitaph_sys_prctl(int option, uint64_t argument) {
    return call(__NR_prctl, option, (long)argument, 0, 0, 0, 0);
}

long epitaph_sys_clone_process(unsigned long flags, void *stack_end, int (*function)(void *),
                               void *argument) {
    // Where the new process finds them: it has the registers of this one, but not its stack.
    void **stack = (void **)stack_end - 2;
    stack[0] = (void *)function;
    stack[1] = argument;
    return is_silent ? -ENOSYS : clone_process(flags, stack);
}

long epitaph_sys_wait4(int32_t pid, int *status, int options) {
    return CALL4(__NR_wait4, pid, status, options, NULL);
}

long epitaph_sys_ptrace(int request, int32_t tid, uint64_t address, uint64_t data) {
    return CALL4(__NR_ptrace, request, tid, address, data);
}

long epitaph_sys_ptrace_get_registers(int32_t tid, unsigned note_type, void *registers,
                                      size_t size) {
    struct iovec place = {registers, size};
    long result = CALL4(__NR_ptrace, PTRACE_GETREGSET, tid, note_type, &place);
    return result < 0 ? result : (long)place.iov_len;
}

_Noreturn void epitaph_sys_exit_group(int status) {
    for (;;)
        system_call(__NR_exit_group, status, 0, 0, 0, 0, 0);
}

long epitaph_sys_sigaction(int signal, const epitaph_kernel_sigaction *action,
                           epitaph_kernel_sigaction *old_action) {
    return CALL4(__NR_rt_sigaction, signal, action, old_action, KERNEL_MASK_SIZE);
}

long epitaph_sys_sigprocmask(int how, const uint64_t *mask, uint64_t *old_mask) {
    return CALL4(__NR_rt_sigprocmask, how, mask, old_mask, KERNEL_MASK_SIZE);
}

long epitaph_sys_take_pending_signal(uint64_t mask) {
    static const struct timespec none;
    return CALL4(__NR_rt_sigtimedwait, &mask, NULL, &none, KERNEL_MASK_SIZE);
}

long epitaph_sys_sigaltstack(const void *stack) {
    return CALL2(__NR_sigaltstack, stack, 0);
}

long epitaph_sys_sigaltstack_get(void *stack) {
    return CALL2(__NR_sigaltstack, 0, stack);
}

long epitaph_sys_tgkill(int32_t pid, int32_t tid, int signal) {
    return CALL3(__NR_tgkill, pid, tid, signal);
}

long epitaph_sys_tgsigqueueinfo(int32_t pid, int32_t tid, int signal, const void *info) {
    return CALL4(__NR_rt_tgsigqueueinfo, pid, tid, signal, info);
}

long epitaph_sys_process_vm_readv(int32_t pid, void *buffer, uint64_t address, size_t count) {
    struct iovec local = {buffer, count};
    struct iovec remote = {(void *)address, count};
    return call(__NR_process_vm_readv, pid, (long)&local, 1, (long)&remote, 1, 0);
}

long epitaph_sys_process_vm_readv_many(int32_t pid, void *buffer, size_t count,
                                       const struct iovec *parts, size_t part_count) {
    struct iovec local = {buffer, count};
    return call(__NR_process_vm_readv, pid, (long)&local, 1, (long)parts, (long)part_count, 0);
}

static struct timespec interval(uint64_t time_ns) {
    struct timespec time = {(time_t)(time_ns / 1000000000), (long)(time_ns % 1000000000)};
    return time;
}

long epitaph_sys_timer_start(int32_t *timer, const epitaph_kernel_timer *settings) {
    struct sigevent event;
    epitaph_bytes_zero(&event, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = settings->signal;
    event.sigev_value.sival_ptr = (void *)(uintptr_t)settings->value;
    event._sigev_un._tid = settings->tid;
    long result = CALL3(__NR_timer_create, CLOCK_MONOTONIC, &event, timer);
    if (result < 0) return result;
    struct itimerspec time = {interval(settings->interval_ns), interval(settings->first_ns)};
    return CALL4(__NR_timer_settime, *timer, 0, &time, NULL);
}

long epitaph_sys_timer_delete(int32_t timer) {
    return CALL1(__NR_timer_delete, timer);
}

long epitaph_sys_futex_wait(const uint32_t *word, uint32_t value, uint64_t timeout_ns) {
    struct timespec timeout = interval(timeout_ns);
    return CALL4(__NR_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout);
}

long epitaph_sys_futex_wake(const uint32_t *word, int count) {
    return CALL3(__NR_futex, word, FUTEX_WAKE_PRIVATE, count);
}

uint64_t epitaph_sys_clock_ns(int clock) {
    struct timespec now;
    if (CALL2(__NR_clock_gettime, clock, &now) < 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

long epitaph_sys_getrandom(void *bytes, size_t count) {
    return CALL3(__NR_getrandom, bytes, count, GRND_NONBLOCK);
}

long epitaph_sys_mincore(uint64_t address, uint64_t count, uint8_t *answers) {
    return CALL3(__NR_mincore, address, count, answers);
}
