// SPDX-License-Identifier: Apache-2.0
//
// The calls of "The system calls of a crash" in docs/async-safety.md, row by row. A test compares.

#ifndef ALLOWED_CALLS_H
#define ALLOWED_CALLS_H

// clang-format off
#define ALLOWED_CALLS(CALL) \
    CALL(read) CALL(openat) CALL(close) CALL(getdents64) \
    CALL(fstat) CALL(munmap) \
    CALL(pwrite64) CALL(pwritev) CALL(renameat) \
    CALL(process_vm_readv) CALL(ftruncate) \
    CALL(pread64) CALL(pipe2) CALL(write) \
    CALL(openat2) CALL(statx) \
    CALL(pwritev2) CALL(ppoll) \
    CALL(mincore) \
    CALL(prlimit64) CALL(rt_sigtimedwait) \
    CALL(sigaltstack) \
    CALL(rt_sigaction) CALL(rt_sigprocmask) CALL(rt_sigreturn) CALL(tgkill) \
    CALL(rt_sigqueueinfo) CALL(rt_tgsigqueueinfo) CALL(futex) \
    CALL(getpid) CALL(gettid) CALL(getppid) CALL(getuid) CALL(prctl) \
    CALL(arch_prctl) CALL(sched_getattr) CALL(getrusage) \
    CALL(uname) CALL(clock_gettime) \
    CALL(get_robust_list) CALL(getrandom) CALL(fallocate) CALL(fcntl) CALL(unlinkat) \
    CALL(fstatfs) CALL(mmap) CALL(madvise) CALL(fchown) CALL(fchmod) \
    CALL(timer_create) CALL(timer_settime) CALL(timer_delete) \
    CALL(clone) CALL(ptrace) CALL(wait4) CALL(exit) \
    CALL(exit_group)
// clang-format on

#endif
