// SPDX-License-Identifier: Apache-2.0
//
// Crashes from which the program recovers, and later ones.

#include "common.h"
#include "starting.h"
#include "ways.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SMALL_STACK = 16384, RECOVERIES = 3 };

static sigjmp_buf recovery;
static int may_recover = 1;

static void jump_or_die(int number) {
    if (may_recover) siglongjmp(recovery, 1);
    signal(number, SIG_DFL);
}

static void recover_from_crashes(void) {
    struct sigaction action = {.sa_handler = jump_or_die, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
}

static void *crash_once(void *argument) {
    if (!may_recover || sigsetjmp(recovery, 1) == 0) write_to_nowhere();
    return argument;
}

static void on_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_once, NULL);
    pthread_join(thread, NULL);
}

/// The same instruction and, on a thread of the same size, the same stack pointer.
static void crash_in_the_same_place(const char *database, const char *argument) {
    (void)argument;
    recover_from_crashes();
    start_epitaph(database);
    on_a_thread();
    may_recover = 0;
    on_a_thread();
}

/// On an alternate stack that is too small for a capture, again and again.
static void crash_on_a_small_stack(const char *database, const char *argument) {
    (void)argument;
    recover_from_crashes();
    start_epitaph(database);
    stack_t small = {.ss_sp = malloc(SMALL_STACK), .ss_size = SMALL_STACK};
    if (sigaltstack(&small, NULL) != 0) give_up("sigaltstack");
    for (volatile int i = 0; i < RECOVERIES; i++)
        crash_once(NULL);
    may_recover = 0;
    write_to_nowhere();
}

const way place_ways[] = {
    {"same-place", crash_in_the_same_place},
    {"small-stack", crash_on_a_small_stack},
    {NULL, NULL},
};
