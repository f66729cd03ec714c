// SPDX-License-Identifier: Apache-2.0
//
// Not deaths: threads that block every signal in a process that lives on, and must not notice that
// they were traced.

#include "ways.h"

#include <epitaph.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAY static void

enum { DUMPS = 20, BODIES = 8, ATTEMPTS = 50, WRITTEN_BYTES = 1 << 20 };

static int must_end;
static int interrupted_calls;
static int short_writes;
static volatile unsigned long turns;
static volatile pid_t computing;

static int is_over(void) {
    return __atomic_load_n(&must_end, __ATOMIC_ACQUIRE);
}

static void note(long result) {
    if (result < 0 && errno == EINTR) __atomic_fetch_add(&interrupted_calls, 1, __ATOMIC_RELAXED);
}

static void block_all(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void *compute(void *argument) {
    block_all();
    pthread_setname_np(pthread_self(), "computing");
    computing = (pid_t)syscall(SYS_gettid);
    while (!is_over())
        turns++;
    return argument;
}

static void *poll_on(void *argument) {
    block_all();
    while (!is_over())
        note(poll(NULL, 0, 1));
    return argument;
}

static void *sleep_on(void *argument) {
    struct timespec time = {0, 1000000};
    block_all();
    while (!is_over())
        note(nanosleep(&time, NULL));
    return argument;
}

static void *wait_for_events(void *argument) {
    struct epoll_event event;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    block_all();
    while (!is_over())
        note(epoll_wait(fd, &event, 1, 1));
    close(fd);
    return argument;
}

static void *receive(void *argument) {
    int ends[2];
    char byte;
    struct timeval timeout = {0, 1000};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return argument;
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    block_all();
    while (!is_over())
        note(recv(ends[0], &byte, 1, 0));
    close(ends[0]);
    close(ends[1]);
    return argument;
}

static int ends[2];

static void *read_pipe(void *argument) {
    static char bytes[4096];
    block_all();
    long got;
    do {
        got = read(ends[0], bytes, sizeof bytes);
        note(got);
    } while (got != 0);
    return argument;
}

/// More than the pipe holds: a stop would cut the call short.
static void *write_pipe(void *argument) {
    static char bytes[WRITTEN_BYTES];
    block_all();
    while (!is_over()) {
        if (write(ends[1], bytes, sizeof bytes) != WRITTEN_BYTES)
            __atomic_fetch_add(&short_writes, 1, __ATOMIC_RELAXED);
    }
    close(ends[1]);
    return argument;
}

/// Computes and waits in turns.
static void *work(void *argument) {
    block_all();
    while (!is_over()) {
        for (volatile int i = 0; i < 3000000; i++)
            continue;
        note(poll(NULL, 0, 1));
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

static pthread_t start(void *(*body)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) != 0) exit(71);
    return thread;
}

static int dump_fails(void) {
    return epitaph_live_dump(NULL, NULL) != EPITAPH_OK;
}

WAY live_dumps_beside_blocked_threads(void) {
    static void *(*const bodies[BODIES])(void *) = {compute, poll_on,   sleep_on,   wait_for_events,
                                                    receive, read_pipe, write_pipe, work};
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
    __atomic_store_n(&must_end, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < BODIES; i++)
        pthread_join(threads[i], NULL);
    printf("%d interrupted, %d short, %d failed, %d children, %d signals, tracer %ld\n",
           interrupted_calls, short_writes, failed, seen_children, ended_children, tracer);
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
    __atomic_store_n(&must_end, 1, __ATOMIC_RELEASE);
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
    note(epoll_wait(*(int *)argument, &event, 1, -1));
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
    printf("%d interrupted\n", interrupted_calls);
    exit(0);
}

const way traced_ways[] = {{"live-beside-blocked", live_dumps_beside_blocked_threads},
                           {"live-tracer-killed", live_dumps_whose_tracer_is_killed},
                           {"live-debugged", live_dumps_beside_a_debugger},
                           {"recover-beside-epolling", recover_beside_an_epolling_thread},
                           {0}};
