// SPDX-License-Identifier: Apache-2.0
//
// Threads that are hard to stop.

#include "thread_ways.h"
#include "settled.h"

#include <linux/futex.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHURNING_THREADS = 4, CHURN_STACK = 65536, TRIES = 10000 };

static void null_write(void) {
    *(volatile int *)16 = 1;
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

static void start_churn(void) {
    pthread_barrier_t begun;
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, CHURNING_THREADS + 1);
    for (int i = 0; i < CHURNING_THREADS; i++)
        pthread_create(&thread, NULL, churn, &begun);
    pthread_barrier_wait(&begun);
    for (int i = 0; i < 20; i++)
        sched_yield();
}

static void crash_in_a_churn(void) {
    start_churn();
    null_write();
}

static void live_dumps_in_a_churn(void) {
    start_churn();
    for (int i = 0; i < 10; i++) {
        if (epitaph_live_dump(NULL, NULL) != EPITAPH_OK) _exit(76);
    }
    _exit(0);
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

// One with a stack on which our stop signal has no room

enum { TINY_AREA = 65536, TINY_STACK = 700, UNTOUCHED = 0x5a };

static _Alignas(16) char tiny_area[TINY_AREA];
static int tiny_word;

/// Direct calls only: the loader needs more stack than there is.
static int be_tiny(void *argument) {
#if defined(__x86_64__)
    for (;;) {
        long result = SYS_futex;
        register long no_timeout __asm__("r10") = 0;
        __asm__ volatile("syscall"
                         : "+a"(result)
                         : "D"(argument), "S"((long)FUTEX_WAIT_PRIVATE), "d"(0L), "r"(no_timeout)
                         : "rcx", "r11", "memory");
    }
#else
    for (;;) {
        register long number __asm__("x8") = SYS_futex;
        register long word __asm__("x0") = (long)argument;
        register long operation __asm__("x1") = FUTEX_WAIT_PRIVATE;
        register long value __asm__("x2") = 0;
        register long no_timeout __asm__("x3") = 0;
        __asm__ volatile("svc 0"
                         : "+r"(word)
                         : "r"(number), "r"(operation), "r"(value), "r"(no_timeout)
                         : "memory");
    }
#endif
    return 0;
}

void start_tiny_thread(void) {
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    memset(tiny_area, UNTOUCHED, TINY_AREA);
    char *end = tiny_area + TINY_AREA / 2 + TINY_STACK;
    if (clone(be_tiny, (char *)((size_t)end & ~15ul), flags, &tiny_word) < 0) _exit(75);
    wait_until_settled();
}

int is_below_tiny_thread_intact(void) {
    for (size_t i = 0; i < TINY_AREA / 2; i++) {
        if (tiny_area[i] != UNTOUCHED) return 0;
    }
    return 1;
}

static void live_dump_beside_tiny_thread(void) {
    start_tiny_thread();
    if (epitaph_live_dump(NULL, NULL) != EPITAPH_OK) _exit(76);
    _exit(is_below_tiny_thread_intact() ? 0 : 85);
}

static void crash_beside_tiny_thread(void) {
    start_tiny_thread();
    null_write();
}

// Threads in handlers and in sigwait(3)

static void wait_in_handler(int signal) {
    (void)signal;
    for (;;)
        syscall(SYS_futex, &tiny_word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

/// Says where a variable of its is, deep in its own stack, and waits in a handler on an alternate
/// one.
static void *handle(void *argument) {
    volatile char deep[8192];
    pthread_setname_np(pthread_self(), "handling");
    deep[0] = 1;
    deep[sizeof deep - 1] = 1;
    printf("%p\n", (void *)&deep[sizeof deep - 1]);
    fflush(stdout);
    raise(SIGUSR1);
    return deep[0] == 1 ? argument : NULL;
}

static void start_handling_thread(void) {
    struct sigaction action = {.sa_handler = wait_in_handler, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, handle, NULL);
    usleep(50000);
    wait_until_settled();
}

static void crash_beside_handling_thread(void) {
    start_handling_thread();
    null_write();
}

static void *end_when_woken(void *argument) {
    sigset_t all;
    int signal;
    sigfillset(&all);
    pthread_barrier_wait(argument);
    sigwait(&all, &signal);
    _exit(83);
}

static void crash_beside_sigwait(void) {
    pthread_barrier_t begun;
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_create(&thread, NULL, end_when_woken, &begun);
    pthread_barrier_wait(&begun);
    wait_until_settled();
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

/// The kernel makes a thread of the process that waits for the pipe.
static void crash_beside_kernel_worker(void) {
    static char byte;
    struct io_uring_params made;
    int ends[2];
    memset(&made, 0, sizeof made);
    int ring = (int)syscall(SYS_io_uring_setup, 1, &made);
    if (ring < 0 || pipe(ends) != 0) _exit(78);
    const int rights = PROT_READ | PROT_WRITE;
    struct io_uring_sqe *entry =
        mmap(NULL, sizeof *entry, rights, MAP_SHARED, ring, (off_t)IORING_OFF_SQES);
    char *queue = mmap(NULL, made.sq_off.array + sizeof(uint32_t), rights, MAP_SHARED, ring,
                       (off_t)IORING_OFF_SQ_RING);
    if (entry == MAP_FAILED || queue == MAP_FAILED) _exit(78);
    memset(entry, 0, sizeof *entry);
    entry->opcode = IORING_OP_READ;
    entry->flags = IOSQE_ASYNC;
    entry->fd = ends[0];
    entry->addr = (uint64_t)(uintptr_t)&byte;
    entry->len = 1;
    *(uint32_t *)(void *)(queue + made.sq_off.array) = 0;
    __atomic_store_n((uint32_t *)(void *)(queue + made.sq_off.tail), 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) != 1) _exit(78);
    wait_until_settled();
    null_write();
}

void (*thread_way(const char *name))(void) {
    static const struct {
        const char *name;
        void (*function)(void);
    } ways[] = {
        {"churn", crash_in_a_churn},
        {"live-churn", live_dumps_in_a_churn},
        {"unblock-late", crash_while_signals_are_blocked},
        {"no-main-thread", crash_without_main_thread},
        {"vforking", crash_beside_vfork},
        {"raw-thread", crash_beside_raw_thread},
        {"tiny-thread", crash_beside_tiny_thread},
        {"handling", crash_beside_handling_thread},
        {"sigwait", crash_beside_sigwait},
        {"live-tiny-thread", live_dump_beside_tiny_thread},
        {"end-early-threads", end_early_threads},
        {"kernel-worker", crash_beside_kernel_worker},
        {"live-blocked", live_dump_beside_blocked_thread},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, name) == 0) return ways[i].function;
    }
    return NULL;
}
