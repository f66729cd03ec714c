// SPDX-License-Identifier: Apache-2.0
//
// CEpitaphVictim sealed DATABASE WAY: starts Epitaph, makes threads that wait, forbids all system
// calls but those of a crash, and dies. Ways: main, thread, abort, forked-child; forbidden makes a
// call that is not allowed; allocating crashes without a seal and has a previous handler that
// allocates.

#include "sealed.h"

#include "seal.h"

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3 };

static pthread_barrier_t all_waiting;
/// Never opens. A thread that waits here makes no call but futex(2), also on its way there.
static pthread_barrier_t closed;
static void *volatile kept;

static void *idle(void *argument) {
    pthread_barrier_wait(&all_waiting);
    pthread_barrier_wait(&closed);
    return argument;
}

__attribute__((noinline)) static void crash(void) {
    *(volatile int *)(uintptr_t)16 = 1;
}

static void *crash_sealed(void *argument) {
    seal();
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "seal", "sealed");
    crash();
    return argument;
}

static void crash_on_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_sealed, NULL);
    pthread_join(thread, NULL);
}

static void crash_in_child(void) {
    pid_t child = fork();
    if (child == 0) crash_sealed(NULL);
    int status = 0;
    waitpid(child, &status, 0);
    exit(WIFSIGNALED(status) ? 40 + WTERMSIG(status) : 1);
}

static void allocate(int signal) {
    kept = malloc(100);
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
}

static void start(const char *database) {
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = database;
    options.bundle_id = "org.example.sealed";
    options.filters_allow_capture = 1;
    epitaph_error error;
    if (epitaph_start(&options, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(70);
}

static void die(const char *way) {
    if (strcmp(way, "main") == 0) crash_sealed(NULL);
    if (strcmp(way, "thread") == 0) crash_on_thread();
    if (strcmp(way, "forked-child") == 0) crash_in_child();
    if (strcmp(way, "allocating") == 0) crash();
    seal();
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "forbidden") == 0) getpgid(0);
}

int sealed_main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: CEpitaphVictim sealed DATABASE WAY\n");
        return 64;
    }
    if (strcmp(arguments[2], "allocating") == 0) {
        // Its own, as large as ours: without one the handler would have the thread's stack.
        static char memory[1 << 18];
        const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
        sigaltstack(&stack, NULL);
        struct sigaction action = {.sa_handler = allocate, .sa_flags = SA_ONSTACK};
        sigaction(SIGSEGV, &action, NULL);
    }
    start(arguments[1]);
    pthread_barrier_init(&all_waiting, NULL, THREADS + 1);
    pthread_barrier_init(&closed, NULL, THREADS + 1);
    for (long i = 0; i < THREADS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, idle, NULL);
    }
    pthread_barrier_wait(&all_waiting);
    die(arguments[2]);
    return 64;
}
