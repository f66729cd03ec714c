// SPDX-License-Identifier: Apache-2.0
//
// Threads that were there before Epitaph, and a system that forbids ptrace.

#include "settled.h"
#include "thread_ways.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int thread_setting(int count, char **arguments, const char *name) {
    for (int i = 4; i < count; i++) {
        if (strcmp(arguments[i], name) == 0) return 1;
    }
    return 0;
}

static void (*early_crash)(const char *);
static const char *early_way;
static int early_has_to_crash;
static int early_read_end;
static int early_written_end;
static pthread_barrier_t all_early;

/// An alternate stack larger than ours, as a runtime may have set it.
enum { LARGE_STACK = 1 << 20 };
static int early_has_large_stack;

static void set_large_stack(void) {
    stack_t stack = {.ss_sp = malloc(LARGE_STACK), .ss_size = LARGE_STACK};
    if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) != 0) _exit(77);
}

/// Where the alternate stack of each early thread was, when it ended.
static void *given_stacks[2];
static pthread_t early_threads[2];

static void look_at_stack(int index) {
    stack_t present;
    if (syscall(SYS_sigaltstack, NULL, &present) != 0) _exit(77);
    if (early_has_large_stack && present.ss_size != LARGE_STACK) _exit(78);
    given_stacks[index] = (present.ss_flags & SS_DISABLE) != 0 ? NULL : present.ss_sp;
}

/// Waits as daemons do, in read(2): with SA_RESTART a signal must not end it.
static void *be_early(void *argument) {
    char byte;
    pthread_setname_np(pthread_self(), "early");
    if (early_has_large_stack) set_large_stack();
    pthread_barrier_wait(&all_early);
    if (read(early_read_end, &byte, 1) != 1) {
        perror("read in an early thread");
        _exit(71);
    }
    look_at_stack((int)(intptr_t)argument);
    if (early_has_to_crash) early_crash(early_way);
    return argument;
}

static void start_early_threads(void) {
    int ends[2];
    if (pipe(ends) != 0) _exit(72);
    early_read_end = ends[0];
    early_written_end = ends[1];
    pthread_barrier_init(&all_early, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&early_threads[i], NULL, be_early, (void *)(intptr_t)i);
    pthread_barrier_wait(&all_early);
}

static void profile(int signal) {
    (void)signal;
}

static void set_profiler(void) {
    struct sigaction action = {.sa_handler = profile};
    sigaction(SIGPROF, &action, NULL);
}

static void check_profiler(void) {
    struct sigaction present;
    sigaction(SIGPROF, NULL, &present);
    if (present.sa_handler != profile) _exit(81);
}

static void deny_ptrace(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        _exit(73);
    }
}

static void *wait_for_profiling_signal(void *argument) {
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_barrier_wait(argument);
    sigwait(&set, &signal);
    _exit(84);
}

static void start_waiting_thread(void) {
    static pthread_barrier_t begun;
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_create(&thread, NULL, wait_for_profiling_signal, &begun);
    pthread_barrier_wait(&begun);
    wait_until_settled();
}

void thread_settings_before_start(int count, char **arguments, epitaph_options *options) {
    early_has_large_stack = thread_setting(count, arguments, "early-large");
    if (thread_setting(count, arguments, "early") ||
        thread_setting(count, arguments, "early-main")) {
        start_early_threads();
    }
    if (thread_setting(count, arguments, "waiting")) start_waiting_thread();
    if (thread_setting(count, arguments, "early-tiny")) start_tiny_thread();
    if (thread_setting(count, arguments, "profiled")) set_profiler();
    if (thread_setting(count, arguments, "left-alone")) {
        options->existing_threads = EPITAPH_EXISTING_THREADS_LEFT_ALONE;
    }
    if (thread_setting(count, arguments, "ptrace")) {
        options->thread_capture = EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE;
    }
    if (thread_setting(count, arguments, "no-ptrace")) deny_ptrace();
}

void thread_settings_before_crash(int count, char **arguments, void (*crash)(const char *),
                                  const char *way) {
    if (thread_setting(count, arguments, "profiled")) check_profiler();
    if (thread_setting(count, arguments, "undumpable")) prctl(PR_SET_DUMPABLE, 0);
    if (thread_setting(count, arguments, "early-tiny") && !is_below_tiny_thread_intact()) {
        _exit(85);
    }
    if (!thread_setting(count, arguments, "early")) return;
    early_crash = crash;
    early_way = way;
    early_has_to_crash = 1;
    if (write(early_written_end, "x", 1) != 1) _exit(74);
    for (;;)
        pause();
}

static int is_mapped(void *address) {
    unsigned char residence;
    return mincore(address, 1, &residence) == 0;
}

static void *do_nothing(void *argument) {
    return argument;
}

/// The early threads end, and their stacks are given back when others begin.
void end_early_threads(void) {
    pthread_t thread;
    // A stack that is kept while the threads below run, so that none of theirs is in its place.
    pthread_create(&thread, NULL, do_nothing, NULL);
    pthread_join(thread, NULL);
    if (write(early_written_end, "xx", 2) != 2) _exit(74);
    for (int i = 0; i < 2; i++)
        pthread_join(early_threads[i], NULL);
    if (given_stacks[0] == NULL || given_stacks[1] == NULL) _exit(79);
    for (int i = 0; i < 10000; i++) {
        pthread_create(&thread, NULL, do_nothing, NULL);
        pthread_join(thread, NULL);
        if (!is_mapped(given_stacks[0]) && !is_mapped(given_stacks[1])) {
            puts("given back");
            exit(0);
        }
    }
    exit(80);
}
