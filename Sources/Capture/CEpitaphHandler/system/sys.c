// SPDX-License-Identifier: Apache-2.0
//
// All system calls at crash time except those on files. libc's wrappers set errno, a thread-local
// variable, may be cancellation points, and may be interposed.

#include "system/sys.h"

#include "system/bytes.h"
#include "system/sys_call.h"

#include <linux/futex.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#if defined(__x86_64__)
#include <asm/prctl.h>
#endif

#define KERNEL_MASK_SIZE sizeof(uint64_t)

#define GRND_NONBLOCK 1
// MADV_POPULATE_READ, missing from headers before Linux 5.14.
#define POPULATE_READ 22
// timer_create(2) documents this name; glibc's headers lack it.
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

bool epitaph_sys_is_silent;

void epitaph_sys_silence(bool silent) {
    __atomic_store_n(&epitaph_sys_is_silent, silent, __ATOMIC_RELEASE);
}

long epitaph_sys_map_shared(int fd, size_t count) {
    long address = call(__NR_mmap, 0, (long)count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address < 0 && address > -4096) return address;
    long result = CALL3(__NR_madvise, address, count, MADV_DONTFORK);
    if (result < 0) {
        CALL2(__NR_munmap, address, count);
        return result;
    }
    // Or the first page that a crash stores into would bring all others with it.
    CALL3(__NR_madvise, address, count, MADV_RANDOM);
    return address;
}

long epitaph_sys_map_shared_at(int fd, void *place, size_t count) {
    int flags = MAP_SHARED | (place == NULL ? 0 : MAP_FIXED);
    return call(__NR_mmap, (long)place, (long)count, PROT_READ | PROT_WRITE, flags, fd, 0);
}

long epitaph_sys_map_over(void *place, size_t count) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    return call(__NR_mmap, (long)place, (long)count, PROT_READ | PROT_WRITE, flags, -1, 0);
}

long epitaph_sys_unmap(void *memory, size_t count) {
    return CALL2(__NR_munmap, memory, count);
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

uint64_t epitaph_sys_robust_list(int32_t tid) {
    uint64_t head = 0;
    size_t size = 0;
    return CALL3(__NR_get_robust_list, tid, &head, &size) == 0 ? head : 0;
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
    // Do not read %fs:0: a thread made by a raw clone(2) may have no such page.
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
    // The new process takes them from here: it has our registers, but its own stack.
    void **stack = (void **)stack_end - 2;
    stack[0] = (void *)function;
    stack[1] = argument;
    return epitaph_sys_is_silent ? -ENOSYS : clone_process(flags, stack);
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

void epitaph_sys_exit_group(int status) {
    system_call(__NR_exit_group, status, 0, 0, 0, 0, 0);
}

long epitaph_sys_sigaction(int signal, const epitaph_kernel_sigaction *action,
                           epitaph_kernel_sigaction *old_action) {
    return CALL4(__NR_rt_sigaction, signal, action, old_action, KERNEL_MASK_SIZE);
}

long epitaph_sys_sigprocmask(int how, const uint64_t *mask, uint64_t *old_mask) {
    return CALL4(__NR_rt_sigprocmask, how, mask, old_mask, KERNEL_MASK_SIZE);
}

long epitaph_sys_clear_pending_signal(uint64_t mask) {
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

long epitaph_sys_sigqueueinfo(int32_t pid, int signal, const void *info) {
    return CALL3(__NR_rt_sigqueueinfo, pid, signal, info);
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
    event.sigev_notify_thread_id = settings->tid;
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

long epitaph_sys_populate_read(uint64_t address, uint64_t count) {
    return CALL3(__NR_madvise, address, count, POPULATE_READ);
}

long epitaph_sys_mincore(uint64_t address, uint64_t count, uint8_t *answers) {
    return CALL3(__NR_mincore, address, count, answers);
}
