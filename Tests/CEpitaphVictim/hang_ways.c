// SPDX-License-Identifier: Apache-2.0
//
// Not deaths: threads that stop reacting, and the watch that notices. What it tells is printed.

#include "ways.h"

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

enum { THRESHOLD_MS = 1000, POLL_MS = 100, LONG_WAIT_S = 60 };

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static epitaph_heartbeat heart;
static int events[4];
static int kills_itself;
static int must_end;

static void note(const epitaph_hang_event *event, void *context) {
    static const char *const words[] = {"", "began", "reported", "ended"};
    (void)context;
    printf("%s %s%s\n", event->name, words[event->kind], event->has_dump ? ", dumped" : "");
    fflush(stdout);
    if (kills_itself) kill(getpid(), SIGKILL);
    __atomic_add_fetch(&events[event->kind], 1, __ATOMIC_RELEASE);
}

static void wait_for(epitaph_hang_event_kind kind, int count) {
    for (int i = 0; i < LONG_WAIT_S * 100; i++) {
        if (__atomic_load_n(&events[kind], __ATOMIC_ACQUIRE) >= count) return;
        usleep(10000);
    }
    printf("nothing happened for %d s\n", LONG_WAIT_S);
    exit(1);
}

static void configure(uint32_t report_after_ms, uint32_t dumps_per_hour, int keeps_recovered) {
    epitaph_hang_options options = EPITAPH_HANG_OPTIONS_DEFAULT;
    options.poll_ms = POLL_MS;
    options.report_after_ms = report_after_ms;
    options.dumps_per_hour = dumps_per_hour;
    options.keeps_recovered = keeps_recovered;
    options.on_event = note;
    if (epitaph_hang_options_set(&options) != EPITAPH_OK) exit(2);
}

static void watch(const char *name) {
    epitaph_error error;
    heart = epitaph_heartbeat_register(name, THRESHOLD_MS, &error);
    if (heart != 0) return;
    printf("%s\n", error.message);
    exit(3);
}

/// Beats, and stops wherever somebody has the lock.
static void *work(void *argument) {
    pthread_setname_np(pthread_self(), "working");
    while (!__atomic_load_n(&must_end, __ATOMIC_ACQUIRE)) {
        epitaph_heartbeat_beat(heart);
        pthread_mutex_lock(&contended);
        pthread_mutex_unlock(&contended);
        usleep(1000);
    }
    return argument;
}

static void begin_work(void) {
    pthread_t thread;
    watch("work");
    pthread_create(&thread, NULL, work, NULL);
}

static void hang_once(int count) {
    pthread_mutex_lock(&contended);
    wait_for(EPITAPH_HANG_EVENT_BEGAN, count);
    pthread_mutex_unlock(&contended);
    wait_for(EPITAPH_HANG_EVENT_ENDED, count);
}

WAY hang_and_recover(void) {
    configure(0, 0, 0);
    begin_work();
    hang_once(1);
    exit(0);
}

/// A wait that a signal would end is not interrupted: of such a thread there is what the kernel
/// says.
static void *work_with_limit(void *argument) {
    pthread_setname_np(pthread_self(), "working");
    while (!__atomic_load_n(&must_end, __ATOMIC_ACQUIRE)) {
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += LONG_WAIT_S;
        epitaph_heartbeat_beat(heart);
        if (pthread_mutex_timedlock(&contended, &limit) == 0) pthread_mutex_unlock(&contended);
        usleep(1000);
    }
    return argument;
}

WAY hang_in_a_timed_lock(void) {
    pthread_t thread;
    configure(0, 0, 1);
    pthread_setname_np(pthread_self(), "holding");
    watch("work");
    pthread_create(&thread, NULL, work_with_limit, NULL);
    hang_once(1);
    exit(0);
}

WAY hang_and_recover_kept(void) {
    configure(0, 0, 1);
    begin_work();
    hang_once(1);
    exit(0);
}

WAY hang_until_killed(void) {
    configure(0, 0, 0);
    kills_itself = 1;
    begin_work();
    pthread_mutex_lock(&contended);
    for (;;)
        pause();
}

WAY hang_and_crash(void) {
    configure(0, 0, 0);
    begin_work();
    pthread_mutex_lock(&contended);
    wait_for(EPITAPH_HANG_EVENT_BEGAN, 1);
    abort();
}

WAY hang_for_long(void) {
    configure(2 * THRESHOLD_MS, 0, 0);
    begin_work();
    pthread_mutex_lock(&contended);
    wait_for(EPITAPH_HANG_EVENT_REPORTED, 1);
    pthread_mutex_unlock(&contended);
    wait_for(EPITAPH_HANG_EVENT_ENDED, 1);
    exit(0);
}

WAY hang_twice_with_one_dump(void) {
    configure(0, 1, 0);
    begin_work();
    hang_once(1);
    hang_once(2);
    exit(0);
}

/// Hung when Epitaph is stopped: that is the last word on it.
WAY hang_and_stop(void) {
    configure(0, 0, 0);
    begin_work();
    pthread_mutex_lock(&contended);
    wait_for(EPITAPH_HANG_EVENT_BEGAN, 1);
    epitaph_stop();
    exit(0);
}

WAY rest_without_alarm(void) {
    configure(0, 0, 0);
    watch("resting");
    epitaph_heartbeat_beat(heart);
    epitaph_heartbeat_pause(heart);
    usleep(3 * THRESHOLD_MS * 1000);
    puts("rested");
    exit(0);
}

/// Stopped by a child for longer than the threshold.
WAY stop_without_alarm(void) {
    configure(0, 0, 0);
    begin_work();
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        usleep(500000);
        kill(parent, SIGSTOP);
        usleep(3 * THRESHOLD_MS * 1000);
        kill(parent, SIGCONT);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    usleep(500000);
    puts("continued");
    exit(0);
}

WAY hang_of_a_question(void) {
    configure(0, 0, 0);
    watch("queue");
    epitaph_heartbeat_ask(heart, 1);
    epitaph_heartbeat_answer(heart, 1);
    // Nothing is awaited, although nothing beats.
    usleep(2 * THRESHOLD_MS * 1000);
    puts("asked");
    fflush(stdout);
    epitaph_heartbeat_ask(heart, 2);
    wait_for(EPITAPH_HANG_EVENT_BEGAN, 1);
    epitaph_heartbeat_unregister(heart);
    wait_for(EPITAPH_HANG_EVENT_ENDED, 1);
    // It is nobody's any more.
    epitaph_heartbeat_answer(heart, 2);
    exit(0);
}

/// A child watches nothing until it registers something itself.
WAY hang_in_a_child(void) {
    configure(0, 0, 0);
    begin_work();
    pid_t child = fork();
    if (child == 0) {
        usleep(3 * THRESHOLD_MS * 1000);
        watch("child");
        epitaph_heartbeat_beat(heart);
        wait_for(EPITAPH_HANG_EVENT_BEGAN, 1);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    exit(0);
}

const way hang_ways[] = {
    {"hang-recover", hang_and_recover},
    {"hang-recover-kept", hang_and_recover_kept},
    {"hang-timed-lock", hang_in_a_timed_lock},
    {"hang-killed", hang_until_killed},
    {"hang-crash", hang_and_crash},
    {"hang-long", hang_for_long},
    {"hang-twice", hang_twice_with_one_dump},
    {"hang-stop", hang_and_stop},
    {"hang-resting", rest_without_alarm},
    {"hang-stopped", stop_without_alarm},
    {"hang-question", hang_of_a_question},
    {"hang-child", hang_in_a_child},
    {NULL, NULL},
};
