// SPDX-License-Identifier: Apache-2.0
//
// Several threads that crash at the same moment.

#include "crashes.h"
#include "ways.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

static pthread_barrier_t together;

static void *die_with_the_others(void *argument) {
    pthread_barrier_wait(&together);
    crash(argument);
    return NULL;
}

static void crash_together(int count) {
    static char *ways[] = {"null-write", "abort", "illegal-instruction"};
    pthread_barrier_init(&together, NULL, (unsigned)count);
    pthread_t thread;
    for (int i = 0; i < count; i++)
        pthread_create(&thread, NULL, die_with_the_others, ways[i % 3]);
    pthread_join(thread, NULL);
}

WAY crash_two_at_once(void) {
    crash_together(2);
}

WAY crash_hundred_at_once(void) {
    crash_together(100);
}

/// A child that kills its parent again and again, until that is gone.
WAY be_sent_many(void) {
    if (fork() == 0) {
        pid_t parent = getppid();
        for (int i = 0; i < 2000 && getppid() == parent; i++) {
            kill(parent, i % 4 == 3 ? SIGABRT : SIGSEGV);
            usleep(50);
        }
        _exit(0);
    }
    for (;;)
        pause();
}

const way concurrent_ways[] = {
    {"two-at-once", crash_two_at_once},
    {"hundred-at-once", crash_hundred_at_once},
    {"sent-many", be_sent_many},
    {NULL, NULL},
};
