// SPDX-License-Identifier: Apache-2.0
//
// Not deaths: dumps of a process that lives on, whose system calls must not notice.

#include "crashes.h"
#include "waiting.h"

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DUMPERS = 3, DUMPS_EACH = 10, WAITERS = 5 };

static int failed_dumps;

static void *spin(void *argument) {
    volatile unsigned long turns = 0;
    while (!waiting_is_over())
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
    run(wait_in_poll, &waiters[0], "polling");
    run(wait_in_nanosleep, &waiters[1], "sleeping");
    run(wait_in_epoll, &waiters[2], "epolling");
    run(wait_in_recv, &waiters[3], "receiving");
    run(spin, &waiters[4], "spinning");
    usleep(20000);
    for (int i = 0; i < DUMPERS; i++)
        run(dump, &dumpers[i], "dumping");
    for (int i = 0; i < DUMPERS; i++)
        pthread_join(dumpers[i], NULL);
    waiting_end();
    for (int i = 0; i < WAITERS; i++)
        pthread_join(waiters[i], NULL);
    printf("%d interrupted, %d failed\n", waiting_interruptions(), failed_dumps);
    exit(0);
}

static void *dump_for_ever(void *argument) {
    for (;;)
        epitaph_live_dump(NULL, NULL);
    return argument;
}

/// With so many arguments that the kernel is busy with it for a while.
static volatile sig_atomic_t profiled;

static void count_profiled(int signal) {
    (void)signal;
    profiled++;
}

static void act_beside_own_signal(void (*act)(void)) {
    sigset_t signals;
    signal(SIGPROF, count_profiled);
    sigemptyset(&signals);
    sigaddset(&signals, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_kill(pthread_self(), SIGPROF);
    act();
    printf("%d while blocked, ", (int)profiled);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    printf("%d then\n", (int)profiled);
    exit(0);
}

static void make_live_dump(void) {
    epitaph_error error;
    if (epitaph_live_dump(NULL, &error) != EPITAPH_OK) printf("%s, ", error.message);
}

void live_dump_beside_own_signal(void) {
    act_beside_own_signal(make_live_dump);
}

static void return_from_it(int signal) {
    (void)signal;
}

static void survive(void) {
    signal(SIGABRT, return_from_it);
    kill(getpid(), SIGABRT);
}

void survive_beside_own_signal(void) {
    act_beside_own_signal(survive);
}

void execute_beside_live_dumps(void) {
    enum { WORDS = 12, WORD_BYTES = 120000 };
    static char word[WORD_BYTES];
    char *arguments[WORDS + 2] = {"true"};
    pthread_t dumper;
    memset(word, 'x', sizeof word - 1);
    for (int i = 1; i <= WORDS; i++)
        arguments[i] = word;
    run(dump_for_ever, &dumper, "dumping");
    usleep(2000);
    execv("/bin/true", arguments);
    _exit(76);
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
