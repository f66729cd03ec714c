// SPDX-License-Identifier: Apache-2.0
//
// Ways to die after noting breadcrumbs.

#include "breadcrumb_ways.h"

#include "crashes.h"
#include "ways.h"

#include <epitaph_settings.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

WAY crash_after_steps(void) {
    char message[32];
    for (int i = 1; i <= 100; i++) {
        snprintf(message, sizeof message, "step %d", i);
        epitaph_breadcrumb_add((epitaph_level)(i % 5 + 1), "steps", message);
    }
    crash("null-write");
}

WAY crash_after_clearing(void) {
    const uint64_t scope = epitaph_scope_make(0, NULL, 0);
    epitaph_thread_scope_replace(scope);
    for (int i = 0; i < 100; i++) {
        const epitaph_breadcrumb_content content = {
            .level = EPITAPH_LEVEL_INFO, .message = "SECRET-BEFORE", .message_bytes = 13};
        epitaph_scope_breadcrumb_add(scope, &content);
    }
    epitaph_scope_breadcrumbs_clear(scope);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "steps", "after");
    crash("null-write");
}

WAY be_killed_after_clearing(void) {
    for (int i = 0; i < 100; i++)
        epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "steps", "SECRET-BEFORE");
    epitaph_breadcrumbs_clear();
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "steps", "after");
    kill(getpid(), SIGKILL);
}

/// Texts that are too long, no UTF-8, empty or none.
WAY crash_after_odd_texts(void) {
    char text[1024];
    memset(text, 0, sizeof text);
    for (int i = 0; i < 300; i += 2)
        memcpy(text + i, "é", 2);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "even", text);
    text[0] = 'x';
    text[1] = 'x';
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "odd", text + 1);
    memset(text, 0x80, sizeof text - 1);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "no UTF-8", text);
    epitaph_breadcrumb_add((epitaph_level)77, "a category of more than 32 bytes", "exactly 32");
    epitaph_breadcrumb_add((epitaph_level)0, "a category of more than 32 bytes!", "one more");
    epitaph_breadcrumb_add(EPITAPH_LEVEL_FATAL, NULL, NULL);
    epitaph_breadcrumb_add_bytes(EPITAPH_LEVEL_ERROR, "c", 1, "a\0b\x1b[2J", 7);
    crash("null-write");
}

static unsigned rounds;

/// A message of one letter, many times; the category says which and how often.
static void note_something(unsigned number) {
    char category[32];
    char message[256];
    size_t length = 1 + number * 37 % 255;
    char letter = (char)('a' + number % 26);
    memset(message, letter, length);
    snprintf(category, sizeof category, "%c %zu", letter, length);
    epitaph_breadcrumb_add_bytes(EPITAPH_LEVEL_DEBUG, category, strlen(category), message, length);
}

static void *note_for_ever(void *argument) {
    // Half of them block the signal that stops threads, and never stand still.
    if ((uintptr_t)argument % 2 == 0) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    for (unsigned number = (unsigned)(uintptr_t)argument;; number += 8) {
        note_something(number);
        __atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
    }
    return argument;
}

static void note_in_handler(int signal) {
    (void)signal;
    note_something(__atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED));
}

/// Eight threads note without end, and a timer whose handler interrupts them and notes as well.
WAY crash_in_a_storm(void) {
    epitaph_limits limits = {.size_bytes = sizeof limits, .stop_timeout_ms = 20};
    epitaph_limits_set(&limits);
    struct sigaction action = {.sa_handler = note_in_handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_t thread;
    for (uintptr_t i = 0; i < 8; i++)
        pthread_create(&thread, NULL, note_for_ever, (void *)i);
    while (__atomic_load_n(&rounds, __ATOMIC_RELAXED) < 20000)
        sched_yield();
    crash("null-write");
}

/// Dies in the middle of noting something: the second half of the text cannot be read.
WAY crash_while_noting(void) {
    long page = sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, (size_t)page, PROT_NONE) != 0) _exit(90);
    memset(memory, 'x', (size_t)page);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "before", "whole");
    epitaph_breadcrumb_add_bytes(EPITAPH_LEVEL_INFO, "", 0, memory + page - 100, 200);
}

/// The memory that holds them cannot be read any more.
WAY crash_without_ring(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) _exit(90);
    epitaph_capture_settings_now.breadcrumbs = page;
    crash("null-write");
}

/// What a wild write may leave of the ring's size.
WAY crash_with_wild_ring(void) {
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "ring", "lost");
    epitaph_capture_settings_now.breadcrumbs->slot_count = UINT64_MAX;
    crash("null-write");
}

WAY crash_in_a_child(void) {
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "fork", "in the parent");
    pid_t child = fork();
    if (child == 0) {
        epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "fork", "in the child");
        crash("null-write");
    }
    int status = 0;
    waitpid(child, &status, 0);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "fork", "after the child");
    crash("abort");
}

/// A dump of the living process, then a crash.
WAY crash_after_live_dump(void) {
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "life", "alive");
    if (epitaph_live_dump(NULL, NULL) != EPITAPH_OK) _exit(90);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_WARNING, "life", "about to die");
    crash("null-write");
}

static epitaph_options started_with;

void breadcrumb_settings_before_start(int count, char **settings, epitaph_options *options) {
    for (int i = 4; i < count; i++) {
        if (strncmp(settings[i], "crumbs=", 7) == 0)
            options->breadcrumb_limit = (size_t)atol(settings[i] + 7);
    }
    started_with = *options;
}

static void start_again(void) {
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "start", "before the stop");
    epitaph_stop();
    if (epitaph_start(&started_with, NULL) != EPITAPH_OK) _exit(91);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "start", "after another start");
    crash("null-write");
}

WAY crash_after_another_start(void) {
    start_again();
}

WAY crash_after_a_smaller_start(void) {
    started_with.breadcrumb_limit = 3;
    start_again();
}

/// As a program does that was compiled before there were breadcrumbs.
WAY crash_after_an_old_start(void) {
    started_with.size_bytes = offsetof(epitaph_options, breadcrumb_limit);
    started_with.breadcrumb_limit = 0;
    start_again();
}

const way breadcrumb_ways[] = {
    {"crumbs", crash_after_steps},
    {"crumbs-cleared", crash_after_clearing},
    {"crumbs-cleared-file", be_killed_after_clearing},
    {"crumbs-odd", crash_after_odd_texts},
    {"crumbs-storm", crash_in_a_storm},
    {"crumbs-torn", crash_while_noting},
    {"crumbs-no-ring", crash_without_ring},
    {"crumbs-wild-ring", crash_with_wild_ring},
    {"crumbs-fork", crash_in_a_child},
    {"crumbs-live", crash_after_live_dump},
    {"crumbs-start-same", crash_after_another_start},
    {"crumbs-start-smaller", crash_after_a_smaller_start},
    {"crumbs-start-old", crash_after_an_old_start},
    {NULL, NULL},
};
