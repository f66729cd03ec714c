// SPDX-License-Identifier: Apache-2.0
//
// A profiler's timer of the program, whose SIGPROFs come while Epitaph uses that signal.

#include "common.h"
#include "starting.h"
#include "ways.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 19, PERIOD_NS = 1000000, DUMPS = 3 };

static volatile sig_atomic_t ticks;

static void tick(int signal) {
    (void)signal;
    ticks++;
}

static clockid_t clock_of(const char *argument) {
    if (says(argument, "realtime")) return CLOCK_REALTIME;
    if (says(argument, "boottime")) return CLOCK_BOOTTIME;
    if (says(argument, "process-cpu")) return CLOCK_PROCESS_CPUTIME_ID;
    if (says(argument, "thread-cpu")) return CLOCK_THREAD_CPUTIME_ID;
    return CLOCK_MONOTONIC;
}

static void start_profiler(const char *argument) {
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    struct sigevent event = {.sigev_signo = SIGPROF, .sigev_notify = SIGEV_SIGNAL};
    if (says(argument, "to-thread")) {
        event.sigev_notify = SIGEV_THREAD_ID;
        event._sigev_un._tid = gettid();
    }
    timer_t timer;
    struct itimerspec often = {{0, PERIOD_NS}, {0, PERIOD_NS}};
    if (timer_create(clock_of(argument), &event, &timer) != 0) give_up("timer_create");
    timer_settime(timer, 0, &often, NULL);
}

static void be_profiled(const char *database, const char *argument) {
    start_epitaph(database);
    start_idle_threads(THREADS);
    start_heartbeat();
    start_profiler(argument);
    // Long enough for the clocks that only run while the program does.
    while (ticks < 20)
        continue;
    if (says(argument, "crash")) write_to_nowhere();
    for (int i = 0; i < DUMPS; i++)
        dump_alive();
    tell_heartbeat();
    exit(0);
}

const way timer_ways[] = {
    {"profiled", be_profiled},
    {NULL, NULL},
};
