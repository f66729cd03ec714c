// SPDX-License-Identifier: Apache-2.0
//
// Faults that a handler of the program repairs, and others that it does not.

#include "ways.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WAY static void

enum { PAGE_BYTES = 4096, FAULTS = 1000, STACK_BYTES = 65536 };

static volatile char *page;
static sigjmp_buf recovery;

static void set(void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGSEGV, &action, NULL);
}

static void mend(int signal) {
    (void)signal;
    mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static void do_nothing(int signal) {
    (void)signal;
}

static void jump(int signal) {
    (void)signal;
    siglongjmp(recovery, 1);
}

static void make_page(void) {
    page = mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) _exit(90);
}

/// As garbage collectors do with their write barriers.
static void be_mended(int faults) {
    make_page();
    set(mend, 0);
    for (int i = 0; i < faults; i++) {
        mprotect((void *)page, PAGE_BYTES, PROT_NONE);
        page[i % PAGE_BYTES] = 1;
    }
}

static void fault(void) {
    *(volatile int *)16 = 1;
}

static void be_left(int faults) {
    set(jump, SA_ONSTACK);
    for (volatile int i = 0; i < faults; i++) {
        if (sigsetjmp(recovery, 1) == 0) fault();
    }
}

static void *be_left_on_thread(void *argument) {
    be_left(2);
    pthread_barrier_wait(argument);
    while (pause() != 0)
        continue;
    return argument;
}

static void be_left_beside(void *(*run)(void *)) {
    static pthread_barrier_t recovered;
    pthread_t thread;
    pthread_barrier_init(&recovered, NULL, 2);
    pthread_create(&thread, NULL, run, &recovered);
    pthread_barrier_wait(&recovered);
}

/// As OCaml: the handler's signal is not blocked, and the thread still runs when the process ends.
static void *be_left_unmasked(void *argument) {
    struct timespec begin, now;
    set(jump, SA_ONSTACK | SA_NODEFER);
    if (sigsetjmp(recovery, 1) == 0) fault();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pthread_barrier_wait(argument);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 3000000);
    while (pause() != 0)
        continue;
    return argument;
}

WAY mend_and_be_killed(void) {
    be_mended(FAULTS);
    raise(SIGKILL);
}

WAY mend_and_exit(void) {
    be_mended(1);
    exit(0);
}

WAY mend_and_abort(void) {
    be_mended(FAULTS);
    abort();
}

WAY leave_and_exit(void) {
    be_left(FAULTS);
    exit(0);
}

/// As a program that ends by a signal for which it had a handler.
WAY leave_and_terminate(void) {
    be_left(FAULTS);
    signal(SIGTERM, SIG_DFL);
    raise(SIGKILL);
}

WAY leave_beside_and_exit(void) {
    be_left_beside(be_left_on_thread);
    exit(0);
}

WAY leave_beside_and_abort(void) {
    be_left_beside(be_left_on_thread);
    abort();
}

WAY leave_unmasked_beside_and_exit(void) {
    be_left_beside(be_left_unmasked);
    exit(0);
}

WAY leave_unmasked_beside_and_abort(void) {
    be_left_beside(be_left_unmasked);
    usleep(10000);
    abort();
}

static void *be_mended_on_thread(void *argument) {
    for (int i = 0; i < FAULTS; i++)
        mprotect(argument, PAGE_BYTES, PROT_NONE), *(volatile char *)argument = 1;
    return argument;
}

static void mend_address(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    uintptr_t start = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1);
    mprotect((void *)start, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

/// As a runtime's threads at a safepoint: many in the handler at the same time.
WAY mend_on_threads_and_be_killed(void) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_sigaction = mend_address, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < THREADS; i++) {
        make_page();
        pthread_create(&threads[i], NULL, be_mended_on_thread, (void *)page);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    raise(SIGKILL);
}

static void leave_by_underscore_exit(int signal) {
    _exit(signal);
}

static void leave_by_exit(int signal) {
    exit(signal);
}

static void call_abort(int signal) {
    (void)signal;
    abort();
}

static void fault_again(int signal) {
    (void)signal;
    *(volatile int *)32 = 1;
}

static void end_in(void (*handler)(int)) {
    set(handler, 0);
    fault();
}

/// SIGILL is delivered, and SIGHUP on top of it, whose handler jumps away before the other's runs.
WAY leave_on_its_way_and_exit(void) {
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGILL);
    sigaddset(&both, SIGHUP);
    signal(SIGILL, do_nothing);
    signal(SIGHUP, jump);
    if (sigsetjmp(recovery, 1) == 0) {
        sigprocmask(SIG_BLOCK, &both, NULL);
        raise(SIGILL);
        raise(SIGHUP);
        sigprocmask(SIG_UNBLOCK, &both, NULL);
    }
    exit(0);
}

WAY exit_in_handler(void) {
    end_in(leave_by_exit);
}

WAY underscore_exit_in_handler(void) {
    end_in(leave_by_underscore_exit);
}

WAY abort_in_handler(void) {
    end_in(call_abort);
}

WAY fault_in_handler(void) {
    end_in(fault_again);
}

/// A place where faults were repaired, and then one is not.
WAY mend_then_abort_in_handler(void) {
    be_left(3);
    end_in(call_abort);
}

WAY mend_nothing_and_be_killed(void) {
    alarm(5);
    end_in(do_nothing);
}

static uint8_t *reader_stack;
static volatile int has_read;

static int read_page(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        mprotect((void *)page, PAGE_BYTES, PROT_NONE);
        (void)page[i];
    }
    has_read = 1;
    return 0;
}

/// As Swift's backtracer: its reader of memory is a thread with the thread pointer of this one.
static void be_read(int signal) {
    (void)signal;
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    if (clone(read_page, reader_stack + STACK_BYTES, flags, NULL) < 0) _exit(91);
    while (!has_read)
        usleep(1000);
}

WAY abort_beside_reader(void) {
    _Alignas(16) uint8_t above_the_handler[STACK_BYTES];
    reader_stack = above_the_handler;
    make_page();
    set(mend, 0);
    struct sigaction action = {.sa_handler = be_read, .sa_flags = SA_ONSTACK};
    sigaction(SIGABRT, &action, NULL);
    abort();
}

static pthread_t other_thread;

static void end_from_here(int signal) {
    (void)signal;
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGABRT);
    sigaction(SIGABRT, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    raise(SIGABRT);
}

static void raise_from_here(int signal) {
    (void)signal;
    raise(SIGABRT);
}

static void end_from_other_thread(int signal) {
    if (pthread_equal(pthread_self(), other_thread)) end_from_here(signal);
    pthread_kill(other_thread, SIGUSR1);
    for (;;)
        pause();
}

static void *wait_for_end(void *argument) {
    for (;;)
        pause();
    return argument;
}

/// As Go's runtime with GOTRACEBACK=crash, where each thread prints its stack before the last one
/// ends the process.
static void abort_and_let_end(void (*end)(int)) {
    struct sigaction abort_action = {.sa_handler = end_from_other_thread};
    struct sigaction action = {.sa_handler = end};
    if (pthread_create(&other_thread, NULL, wait_for_end, NULL) != 0) _exit(92);
    sigaction(SIGABRT, &abort_action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    abort();
}

WAY abort_and_end_from_other_thread(void) {
    abort_and_let_end(end_from_here);
}

WAY abort_and_abort_from_other_thread(void) {
    abort_and_let_end(raise_from_here);
}

const way survivor_ways[] = {
    {"mend-and-be-killed", mend_and_be_killed},
    {"mend-and-exit", mend_and_exit},
    {"mend-and-abort", mend_and_abort},
    {"leave-and-exit", leave_and_exit},
    {"leave-and-terminate", leave_and_terminate},
    {"leave-on-its-way-and-exit", leave_on_its_way_and_exit},
    {"leave-unmasked-beside-and-exit", leave_unmasked_beside_and_exit},
    {"leave-unmasked-beside-and-abort", leave_unmasked_beside_and_abort},
    {"leave-beside-and-exit", leave_beside_and_exit},
    {"leave-beside-and-abort", leave_beside_and_abort},
    {"mend-on-threads-and-be-killed", mend_on_threads_and_be_killed},
    {"exit-in-handler", exit_in_handler},
    {"underscore-exit-in-handler", underscore_exit_in_handler},
    {"abort-in-handler", abort_in_handler},
    {"fault-in-handler", fault_in_handler},
    {"mend-then-abort-in-handler", mend_then_abort_in_handler},
    {"mend-nothing-and-be-killed", mend_nothing_and_be_killed},
    {"abort-beside-reader", abort_beside_reader},
    {"abort-and-end-from-other-thread", abort_and_end_from_other_thread},
    {"abort-and-abort-from-other-thread", abort_and_abort_from_other_thread},
    {NULL, NULL},
};
