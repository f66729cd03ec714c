// SPDX-License-Identifier: Apache-2.0
//
// seccomp(2) filters that the program installs itself, after the start of Epitaph.

#include "common.h"
#include "starting.h"
#include "ways.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

enum { CALLS = 64 };

/// What a small network daemon needs, and not a call more.
static const int daemon_calls[] = {
    SYS_read,      SYS_write,           SYS_close,
    SYS_fstat,     SYS_newfstatat,      SYS_lseek,
    SYS_mmap,      SYS_munmap,          SYS_mprotect,
    SYS_brk,       SYS_rt_sigaction,    SYS_rt_sigreturn,
    SYS_epoll_ctl, SYS_rt_sigprocmask,  SYS_accept4,
    SYS_recvfrom,  SYS_sendto,          SYS_futex,
    SYS_exit,      SYS_exit_group,      SYS_clock_gettime,
    SYS_getpid,    SYS_gettid,          SYS_tgkill,
    SYS_nanosleep, SYS_clock_nanosleep, SYS_restart_syscall,
#if defined(__x86_64__)
    SYS_poll,      SYS_epoll_wait,      SYS_pause,
#endif
    SYS_ppoll,     SYS_epoll_pwait,
};
static const int clock_calls[] = {SYS_clock_gettime, SYS_timer_create};

/// Answers `listed` to the calls of the list and `otherwise` to all others.
static void filter(const int *calls, size_t count, uint32_t listed, uint32_t otherwise, int all) {
    struct sock_filter code[2 * CALLS + 5];
    unsigned short length = 0;
    code[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < count; i++) {
        code[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
    struct sock_fprog program = {.len = length, .filter = code};
    unsigned flags = all ? SECCOMP_FILTER_FLAG_TSYNC : 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) != 0)
        give_up("seccomp");
}

static void be_strict(const char *database, const char *argument) {
    start_epitaph(database);
    start_idle_threads(3);
    uint32_t action = SECCOMP_RET_ERRNO | EPERM;
    if (says(argument, "kill")) action = SECCOMP_RET_KILL_PROCESS;
    if (says(argument, "trap")) action = SECCOMP_RET_TRAP;
    filter(daemon_calls, sizeof daemon_calls / sizeof *daemon_calls, SECCOMP_RET_ALLOW, action,
           says(argument, "all-threads"));
    if (says(argument, "segv")) write_to_nowhere();
    if (says(argument, "abort")) abort();
    exit(0);
}

static void *be_deaf(void *argument) {
    sigset_t profiling;
    sigemptyset(&profiling);
    sigaddset(&profiling, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &profiling, NULL);
    for (;;)
        pause();
    return argument;
}

/// No clock, no watchdog, and a thread that does not answer.
static void lose_the_clock(const char *database, const char *argument) {
    start_epitaph(database);
    pthread_t thread;
    pthread_create(&thread, NULL, be_deaf, NULL);
    usleep(20000);
    filter(clock_calls, sizeof clock_calls / sizeof *clock_calls, SECCOMP_RET_ERRNO | EPERM,
           SECCOMP_RET_ALLOW, 1);
    if (says(argument, "crash")) write_to_nowhere();
    dump_alive();
    exit(0);
}

const way filter_ways[] = {
    {"strict", be_strict},
    {"no-clock", lose_the_clock},
    {NULL, NULL},
};
