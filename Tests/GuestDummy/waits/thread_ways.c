// SPDX-License-Identifier: Apache-2.0
//
// Threads and processes that do not help.

#include "common.h"
#include "starting.h"
#include "ways.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_STACK = 1 << 18 };

static volatile sig_atomic_t is_crashing;
static long delay_us;

static void block_all(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void *spin_deaf(void *argument) {
    block_all();
    for (volatile unsigned long turns = 0;;)
        turns++;
    return argument;
}

static void crash_or_dump(const char *argument) {
    if (says(argument, "crash")) write_to_nowhere();
    start_heartbeat();
    usleep(5000);
    dump_alive();
    tell_heartbeat();
    exit(0);
}

static void be_unanswered(const char *database, const char *argument) {
    start_epitaph(database);
    pthread_t thread;
    pthread_create(&thread, NULL, spin_deaf, NULL);
    usleep(20000);
    crash_or_dump(argument);
}

/// No signal can be queued: no timer, no rt_tgsigqueueinfo(2).
static void queue_nothing(const char *database, const char *argument) {
    start_epitaph(database);
    start_idle_threads(3);
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_SIGPENDING, &none) != 0) give_up("RLIMIT_SIGPENDING");
    crash_or_dump(argument);
}

static void *crash_cancellable(void *argument) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    is_crashing = 1;
    write_to_nowhere();
    return argument;
}

static void *cancel(void *thread) {
    struct timespec began, now;
    block_all();
    while (!is_crashing)
        continue;
    clock_gettime(CLOCK_MONOTONIC, &began);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - began.tv_sec) * 1000000 + (now.tv_nsec - began.tv_nsec) / 1000 < delay_us);
    pthread_cancel(*(pthread_t *)thread);
    for (;;)
        pause();
    return thread;
}

/// The argument: so many microseconds after the crash.
static void be_cancelled(const char *database, const char *argument) {
    static pthread_t crashing;
    delay_us = atol(argument);
    start_epitaph(database);
    start_idle_threads(50);
    pthread_t canceller;
    pthread_create(&canceller, NULL, cancel, &crashing);
    pthread_create(&crashing, NULL, crash_cancellable, NULL);
    pthread_join(crashing, NULL);
    puts("the thread that crashed was cancelled, and the process lives on");
}

static int crash_beside(void *argument) {
    (void)argument;
    write_to_nowhere();
    return 0;
}

/// A process that shares memory and handlers with its parent, and is no thread of it.
static void lose_sharing_child(const char *database, const char *argument) {
    start_epitaph(database);
    char *stack =
        mmap(NULL, CHILD_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) give_up("mmap");
    pid_t child =
        clone(crash_beside, stack + CHILD_STACK, CLONE_VM | CLONE_SIGHAND | SIGCHLD, NULL);
    int status = 0;
    if (child < 0 || waitpid(child, &status, __WALL) != child) give_up("clone");
    printf("the child: wait status %#x\n", (unsigned)status);
    fflush(stdout);
    if (says(argument, "segv")) write_to_nowhere();
    abort();
}

/// EFLAGS.AC: with it the processor refuses unaligned accesses, which compilers make as they like.
static void check_alignment(const char *database, const char *argument) {
    (void)argument;
    start_epitaph(database);
    start_idle_threads(3);
    usleep(20000);
#if defined(__x86_64__)
    __asm__ volatile("pushfq\n\t"
                     "orq $0x40000, (%%rsp)\n\t"
                     "popfq\n\t"
                     "movl $1, (%0)"
                     :
                     : "r"(16L)
                     : "memory", "cc");
#endif
    give_up("there is no such flag");
}

const way thread_ways[] = {
    {"unanswered", be_unanswered},   {"no-queue", queue_nothing},    {"cancelled", be_cancelled},
    {"sharing", lose_sharing_child}, {"alignment", check_alignment}, {NULL, NULL},
};
