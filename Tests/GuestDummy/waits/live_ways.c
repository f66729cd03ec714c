// SPDX-License-Identifier: Apache-2.0
//
// Live dumps without end, beside a crash and beside stops and starts.

#include "common.h"
#include "starting.h"
#include "ways.h"

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DUMPERS = 8, THREADS = 20, WARM_UP_US = 500000 };

static int is_over;

/// Where nothing sweeps, so that the number of reports does not depend on the machine's speed.
static void *dump_for_ever(void *number) {
    char path[64];
    snprintf(path, sizeof path, "live-%d", (int)(intptr_t)number);
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        epitaph_live_dump_at(path, NULL);
        unlink(path);
    }
    return number;
}

/// Each capture waits for this thread as long as it may.
static void *be_deaf(void *argument) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (volatile unsigned long turns = 0;;)
        turns++;
    return argument;
}

static void crash_among_dumps(const char *database, const char *argument) {
    (void)argument;
    start_epitaph(database);
    start_idle_threads(THREADS);
    pthread_t thread;
    pthread_create(&thread, NULL, be_deaf, NULL);
    for (intptr_t i = 0; i < DUMPERS; i++)
        pthread_create(&thread, NULL, dump_for_ever, (void *)i);
    usleep(WARM_UP_US);
    write_to_nowhere();
}

static void start_and_stop_among_dumps(const char *database, const char *argument) {
    start_epitaph(database);
    pthread_t thread;
    pthread_create(&thread, NULL, dump_for_ever, NULL);
    for (int i = atoi(argument); i > 0; i--) {
        epitaph_stop();
        start_epitaph(database);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    exit(0);
}

const way live_ways[] = {
    {"among-dumps", crash_among_dumps},
    {"stop-start", start_and_stop_among_dumps},
    {NULL, NULL},
};
