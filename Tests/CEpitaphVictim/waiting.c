// SPDX-License-Identifier: Apache-2.0

#include "waiting.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int must_end;
static int interruptions;

int waiting_is_over(void) {
    return __atomic_load_n(&must_end, __ATOMIC_ACQUIRE);
}

void waiting_end(void) {
    __atomic_store_n(&must_end, 1, __ATOMIC_RELEASE);
}

void waiting_note(long result) {
    if (result < 0 && errno == EINTR) __atomic_fetch_add(&interruptions, 1, __ATOMIC_RELAXED);
}

int waiting_interruptions(void) {
    return __atomic_load_n(&interruptions, __ATOMIC_RELAXED);
}

void *wait_in_poll(void *argument) {
    while (!waiting_is_over())
        waiting_note(poll(NULL, 0, 1));
    return argument;
}

void *wait_in_nanosleep(void *argument) {
    struct timespec time = {0, 1000000};
    while (!waiting_is_over())
        waiting_note(nanosleep(&time, NULL));
    return argument;
}

void *wait_in_epoll(void *argument) {
    struct epoll_event event;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    while (!waiting_is_over())
        waiting_note(epoll_wait(fd, &event, 1, 1));
    close(fd);
    return argument;
}

void *wait_in_recv(void *argument) {
    int ends[2];
    char byte;
    struct timeval timeout = {0, 1000};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return argument;
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    while (!waiting_is_over())
        waiting_note(recv(ends[0], &byte, 1, 0));
    close(ends[0]);
    close(ends[1]);
    return argument;
}
