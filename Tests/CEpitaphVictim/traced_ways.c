// SPDX-License-Identifier: Apache-2.0
//
// Not deaths: threads that block every signal in a process that lives on, and must not notice that
// they were traced.

#include "waiting.h"
#include "ways.h"

#include <epitaph.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY static void

enum { DUMPS = 20, BODIES = 8, ATTEMPTS = 50, WRITTEN_BYTES = 1 << 20 };

static int short_writes;
static volatile unsigned long turns;
static volatile pid_t computing;

static void *compute(void *argument) {
    pthread_setname_np(pthread_self(), "computing");
    computing = (pid_t)syscall(SYS_gettid);
    while (!waiting_is_over())
        turns++;
    return argument;
}

static int ends[2];

static void *read_pipe(void *argument) {
    static char bytes[4096];
    long got;
    do {
        got = read(ends[0], bytes, sizeof bytes);
        waiting_note(got);
    } while (got != 0);
    return argument;
}

/// More than the pipe holds: a stop would cut the call short.
static void *write_pipe(void *argument) {
    static char bytes[WRITTEN_BYTES];
    while (!waiting_is_over()) {
        if (write(ends[1], bytes, sizeof bytes) != WRITTEN_BYTES)
            __atomic_fetch_add(&short_writes, 1, __ATOMIC_RELAXED);
    }
    close(ends[1]);
    return argument;
}

/// Computes and waits in turns.
static void *work(void *argument) {
    while (!waiting_is_over()) {
        for (volatile int i = 0; i < 3000000; i++)
            continue;
        waiting_note(poll(NULL, 0, 1));
    }
    return argument;
}

static volatile int ended_children;

static void on_child(int signal) {
    (void)signal;
    ended_children++;
}

/// Of a thread of this process; 0 without one.
static long tracer_of(pid_t process, pid_t thread) {
    char path[64];
    char line[128];
    long tracer = -1;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", process, thread);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "TracerPid: %ld", &tracer);
    if (file != NULL) fclose(file);
    return tracer;
}

/// A thread that blocks every signal, which it has from the one that makes it.
static pthread_t start(void *(*body)(void *)) {
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, body, NULL) != 0) exit(71);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return thread;
}

static int dump_fails(void) {
    return epitaph_live_dump(NULL, NULL) != EPITAPH_OK;
}

WAY live_dumps_beside_blocked_threads(void) {
    static void *(*const bodies[BODIES])(void *) = {compute,       wait_in_poll, wait_in_nanosleep,
                                                    wait_in_epoll, wait_in_recv, read_pipe,
                                                    write_pipe,    work};
    pthread_t threads[BODIES];
    int failed = 0;
    int seen_children = 0;
    signal(SIGCHLD, on_child);
    if (pipe(ends) != 0) exit(72);
    for (int i = 0; i < BODIES; i++)
        threads[i] = start(bodies[i]);
    usleep(20000);
    for (int i = 0; i < DUMPS; i++) {
        failed += dump_fails();
        seen_children += waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
    }
    long tracer = tracer_of(getpid(), computing);
    waiting_end();
    for (int i = 0; i < BODIES; i++)
        pthread_join(threads[i], NULL);
    printf("%d interrupted, %d short, %d failed, %d children, %d signals, tracer %ld\n",
           waiting_interruptions(), short_writes, failed, seen_children, ended_children, tracer);
    exit(0);
}

/// Runs `body` in a child while dumps are made, until it ends.
static void dump_beside_child(void (*body)(pid_t process)) {
    pid_t process = getpid();
    pthread_t thread = start(compute);
    usleep(20000);
    pid_t child = fork();
    if (child == 0) {
        body(process);
        _exit(0);
    }
    int failed = 0;
    int status = -1;
    for (int i = 0; i < ATTEMPTS && waitpid(child, &status, WNOHANG) == 0; i++)
        failed += dump_fails();
    unsigned long before = turns;
    usleep(20000);
    long tracer = tracer_of(process, computing);
    printf("%s, %d failed, status %d, tracer %ld\n", turns == before ? "stands" : "runs", failed,
           status, tracer == child ? 1 : tracer);
    fflush(stdout);
    kill(child, SIGKILL);
    waiting_end();
    pthread_join(thread, NULL);
    exit(0);
}

static void kill_tracer(pid_t process) {
    long tracer;
    do {
        tracer = tracer_of(process, computing);
    } while (tracer == 0);
    kill((pid_t)tracer, SIGKILL);
}

WAY live_dumps_whose_tracer_is_killed(void) {
    dump_beside_child(kill_tracer);
}

/// As strace(1) does, and holds on to it while three dumps are made.
static void trace(pid_t process) {
    (void)process;
    if (ptrace(PTRACE_SEIZE, computing, NULL, NULL) != 0) _exit(73);
    sleep(1);
    _exit(tracer_of(process, computing) == getpid() ? 0 : 74);
}

WAY live_dumps_beside_a_debugger(void) {
    dump_beside_child(trace);
}

static sigjmp_buf recovery;

static void jump(int signal) {
    (void)signal;
    siglongjmp(recovery, 1);
}

/// Blocks the signals that libc keeps for itself as well.
static void *wait_for_one_event(void *argument) {
    const unsigned long all = ~0ul;
    struct epoll_event event;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
    computing = (pid_t)syscall(SYS_gettid);
    waiting_note(epoll_wait(*(int *)argument, &event, 1, -1));
    return argument;
}

WAY recover_beside_an_epolling_thread(void) {
    int poller = epoll_create1(EPOLL_CLOEXEC);
    int end = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    epoll_ctl(poller, EPOLL_CTL_ADD, end, &event);
    pthread_create(&thread, NULL, wait_for_one_event, &poller);
    usleep(50000);
    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(recovery, 1) == 0) *(volatile int *)16 = 1;
    if (eventfd_write(end, 1) != 0) exit(75);
    pthread_join(thread, NULL);
    printf("%d interrupted\n", waiting_interruptions());
    exit(0);
}

const way traced_ways[] = {{"live-beside-blocked", live_dumps_beside_blocked_threads},
                           {"live-tracer-killed", live_dumps_whose_tracer_is_killed},
                           {"live-debugged", live_dumps_beside_a_debugger},
                           {"recover-beside-epolling", recover_beside_an_epolling_thread},
                           {0}};
