// SPDX-License-Identifier: Apache-2.0
//
// Threads that are hard to stop, or were there before Epitaph.

#include "thread_ways.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
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

enum { CHURNING_THREADS = 4, CHURN_STACK = 65536, TRIES = 10000 };

int thread_setting(int count, char **arguments, const char *name) {
    for (int i = 4; i < count; i++) {
        if (strcmp(arguments[i], name) == 0) return 1;
    }
    return 0;
}

static void null_write(void) {
    *(volatile int *)16 = 1;
}

// Threads that were there before

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
    if (sigaltstack(NULL, &present) != 0) _exit(77);
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

void thread_settings_before_start(int count, char **arguments, epitaph_options *options) {
    early_has_large_stack = thread_setting(count, arguments, "early-large");
    if (thread_setting(count, arguments, "early") ||
        thread_setting(count, arguments, "early-main")) {
        start_early_threads();
    }
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
    if (!thread_setting(count, arguments, "early")) return;
    early_crash = crash;
    early_way = way;
    early_has_to_crash = 1;
    if (write(early_written_end, "x", 1) != 1) _exit(74);
    for (;;)
        pause();
}

// Threads in the middle of something

static void *do_nothing(void *argument) {
    return argument;
}

/// Makes threads and joins them for ever: most of the time it blocks all signals or has just begun.
static void *churn(void *argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_setname_np(pthread_self(), "churning");
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, CHURN_STACK);
    pthread_barrier_wait(argument);
    int result = 0;
    while (result >= 0) {
        result = pthread_create(&thread, &attributes, do_nothing, NULL);
        if (result == 0) pthread_join(thread, NULL);
    }
    return argument;
}

static void crash_in_a_churn(void) {
    pthread_barrier_t begun;
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, CHURNING_THREADS + 1);
    for (int i = 0; i < CHURNING_THREADS; i++)
        pthread_create(&thread, NULL, churn, &begun);
    pthread_barrier_wait(&begun);
    for (int i = 0; i < 20; i++)
        sched_yield();
    null_write();
}

/// Blocks all signals until one is there, and some time longer.
static void *unblock_late(void *argument) {
    sigset_t all;
    sigset_t none;
    sigset_t pending;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_setname_np(pthread_self(), "late");
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_barrier_wait(argument);
    do {
        sched_yield();
        sigpending(&pending);
    } while (sigismember(&pending, SIGPROF) == 0);
    usleep(20000);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    while (pause() != 0)
        continue;
    return argument;
}

static void crash_while_signals_are_blocked(void) {
    pthread_barrier_t begun;
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_create(&thread, NULL, unblock_late, &begun);
    pthread_barrier_wait(&begun);
    null_write();
}

static pthread_t main_thread;

static void *outlive_the_main_thread(void *argument) {
    pthread_join(main_thread, NULL);
    null_write();
    return argument;
}

static void crash_without_main_thread(void) {
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, outlive_the_main_thread, NULL);
    pthread_exit(NULL);
}

// Threads that libc knows nothing of

static _Alignas(16) char raw_stack[65536];
static int raw_runs;

static int be_raw(void *argument) {
    __atomic_store_n((int *)argument, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n((int *)argument, __ATOMIC_RELAXED) != 0)
        syscall(SYS_sched_yield);
    return 0;
}

static void start_raw_thread(void) {
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (clone(be_raw, raw_stack + sizeof raw_stack, flags, &raw_runs) < 0) _exit(75);
    for (int i = 0; i < TRIES && __atomic_load_n(&raw_runs, __ATOMIC_ACQUIRE) == 0; i++)
        usleep(1000);
}

static void crash_beside_raw_thread(void) {
    start_raw_thread();
    null_write();
}

/// The parent of a vfork(2) child sleeps uninterruptibly: no signal and no ptrace(2) reaches it.
static void *wait_for_vfork_child(void *argument) {
    pthread_setname_np(pthread_self(), "vforking");
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        *(volatile int *)argument = 1;
        for (;;)
            pause();
    }
    return argument;
}

static void crash_beside_vfork(void) {
    static volatile int has_child;
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_vfork_child, (void *)&has_child);
    for (int i = 0; i < TRIES && has_child == 0; i++)
        usleep(1000);
    null_write();
}

// Not deaths

/// A thread that blocks the stop signal while others are stopped: unblocking it later must do no
/// harm.
static pthread_barrier_t recovered;

static void *block_then_unblock(void *argument) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_barrier_wait(argument);
    pthread_barrier_wait(&recovered);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    puts("unblocked");
    fflush(stdout);
    _exit(0);
}

static void live_dump_beside_blocked_thread(void) {
    pthread_barrier_t begun;
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_barrier_init(&recovered, NULL, 2);
    pthread_create(&thread, NULL, block_then_unblock, &begun);
    pthread_barrier_wait(&begun);
    if (epitaph_live_dump(NULL, NULL) != EPITAPH_OK) _exit(76);
    pthread_barrier_wait(&recovered);
    pthread_join(thread, NULL);
}

static int is_mapped(void *address) {
    unsigned char residence;
    return mincore(address, 1, &residence) == 0;
}

/// The early threads end, and their stacks are given back when others begin.
static void end_early_threads(void) {
    pthread_t thread;
    if (write(early_written_end, "xx", 2) != 2) _exit(74);
    for (int i = 0; i < 2; i++)
        pthread_join(early_threads[i], NULL);
    if (given_stacks[0] == NULL || given_stacks[1] == NULL) _exit(79);
    for (int i = 0; i < TRIES; i++) {
        pthread_create(&thread, NULL, do_nothing, NULL);
        pthread_join(thread, NULL);
        if (!is_mapped(given_stacks[0]) && !is_mapped(given_stacks[1])) {
            puts("given back");
            exit(0);
        }
    }
    exit(80);
}

void (*thread_way(const char *name))(void) {
    static const struct {
        const char *name;
        void (*function)(void);
    } ways[] = {
        {"churn", crash_in_a_churn},
        {"unblock-late", crash_while_signals_are_blocked},
        {"no-main-thread", crash_without_main_thread},
        {"vforking", crash_beside_vfork},
        {"raw-thread", crash_beside_raw_thread},
        {"end-early-threads", end_early_threads},
        {"live-blocked", live_dump_beside_blocked_thread},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, name) == 0) return ways[i].function;
    }
    return NULL;
}
