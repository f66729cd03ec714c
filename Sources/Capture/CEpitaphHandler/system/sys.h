// SPDX-License-Identifier: Apache-2.0
//
// System calls made directly, and the resource limits that a capture lifts. ANY-TIME.

#ifndef EPITAPH_SYSTEM_SYS_H
#define EPITAPH_SYSTEM_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
/// children: in the place of what is mapped at `place`, or where the kernel likes for NULL.
long epitaph_sys_map_shared_at(int fd, void *place, size_t count);
/// Puts empty memory in the place of what is mapped at `place`.
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

#pragma GCC visibility pop

#endif
