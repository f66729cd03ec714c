// SPDX-License-Identifier: Apache-2.0
//
// Not deaths: dumps of a process that lives on, whose system calls must not notice.

#include "crashes.h"

#include <epitaph.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DUMPERS = 3, DUMPS_EACH = 10, WAITERS = 5 };

static int must_end;
static int interrupted_calls;
static int failed_dumps;

static void note(long result) {
    if (result < 0 && errno == EINTR) __atomic_fetch_add(&interrupted_calls, 1, __ATOMIC_RELAXED);
}

static int is_over(void) {
    return __atomic_load_n(&must_end, __ATOMIC_ACQUIRE);
}

static void *poll_on(void *argument) {
    while (!is_over())
        note(poll(NULL, 0, 5));
    return argument;
}

static void *sleep_on(void *argument) {
    struct timespec time = {0, 5000000};
    while (!is_over())
        note(nanosleep(&time, NULL));
    return argument;
}

static void *wait_for_events(void *argument) {
    struct epoll_event event;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    while (!is_over())
        note(epoll_wait(fd, &event, 1, 5));
    close(fd);
    return argument;
}

static void *receive(void *argument) {
    int ends[2];
    char byte;
    struct timeval timeout = {0, 5000};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return argument;
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    while (!is_over())
        note(recv(ends[0], &byte, 1, 0));
    close(ends[0]);
    close(ends[1]);
    return argument;
}

static void *spin(void *argument) {
    volatile unsigned long turns = 0;
    while (!is_over())
        turns++;
    return argument;
}

static void *dump(void *argument) {
    epitaph_error error;
    pthread_setname_np(pthread_self(), "dumping");
    for (int i = 0; i < DUMPS_EACH; i++) {
        if (epitaph_live_dump(NULL, &error) == EPITAPH_OK) continue;
        fprintf(stderr, "%s\n", error.message);
        __atomic_fetch_add(&failed_dumps, 1, __ATOMIC_RELAXED);
    }
    return argument;
}

static void run(void *(*function)(void *), pthread_t *thread, const char *name) {
    pthread_create(thread, NULL, function, NULL);
    pthread_setname_np(*thread, name);
}

void live_dumps(void) {
    pthread_t waiters[WAITERS];
    pthread_t dumpers[DUMPERS];
    run(poll_on, &waiters[0], "polling");
    run(sleep_on, &waiters[1], "sleeping");
    run(wait_for_events, &waiters[2], "epolling");
    run(receive, &waiters[3], "receiving");
    run(spin, &waiters[4], "spinning");
    usleep(20000);
    for (int i = 0; i < DUMPERS; i++)
        run(dump, &dumpers[i], "dumping");
    for (int i = 0; i < DUMPERS; i++)
        pthread_join(dumpers[i], NULL);
    __atomic_store_n(&must_end, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(waiters[i], NULL);
    printf("%d interrupted, %d failed\n", interrupted_calls, failed_dumps);
    exit(0);
}

void live_then_crash(void) {
    epitaph_error error;
    epitaph_message_set("words of a program that lives on");
    if (epitaph_live_dump(NULL, &error) != EPITAPH_OK) fprintf(stderr, "%s\n", error.message);
    crash("null-write");
}

/// At two paths beside the database; the first is promoted.
void live_at_paths(void) {
    epitaph_error error;
    const char *paths[] = {"kept.dump", "thrown-away.dump"};
    for (int i = 0; i < 2; i++) {
        if (epitaph_live_dump_at(paths[i], &error) != EPITAPH_OK) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
    }
    if (epitaph_live_dump_at(paths[0], &error) != EPITAPH_OK) puts(error.message);
    if (epitaph_live_dump_promote(paths[0], &error) != EPITAPH_OK) puts(error.message);
    if (epitaph_live_dump_promote("no-such.dump", &error) != EPITAPH_OK) puts(error.message);
    exit(0);
}
