// SPDX-License-Identifier: Apache-2.0
//
// Crashes of programs with attachments, and errors that a program handled.

#include "ways.h"

#include <epitaph.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

static int *volatile nowhere;

static void write_to_nowhere(void) {
    *nowhere = 1;
}

static void expect(epitaph_status wanted, epitaph_status status, int line) {
    if (wanted == status) return;
    printf("line %d: %d\n", line, status);
    fflush(stdout);
    _exit(90);
}

#define EXPECT(wanted, call) expect(wanted, call, __LINE__)

WAY crash_with_attachments(void) {
    static char long_path[5000];
    memset(long_path, '/', sizeof long_path - 1);
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_attachment_add(NULL, "a"));
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_attachment_add("relative", "a"));
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_attachment_add(long_path, "a"));
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_attachment_add("/a", "../a"));
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_attachment_add("/a", ".."));
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_attachment_add("/a/", NULL));
    EXPECT(EPITAPH_OK, epitaph_attachment_add("/first", "my.log"));
    EXPECT(EPITAPH_OK, epitaph_attachment_add("/gone", NULL));
    EXPECT(EPITAPH_OK, epitaph_attachment_add(getenv("ATTACHED"), "my.log"));
    EXPECT(EPITAPH_OK, epitaph_attachment_add("/proc/self/status", NULL));
    EXPECT(EPITAPH_OK, epitaph_attachment_add("/dev/zero", NULL));
    epitaph_attachment_remove("gone");
    epitaph_attachment_remove("never there");
    write_to_nowhere();
}

WAY fill_attachments(void) {
    char name[16];
    for (int i = 0; i < 32; i++) {
        snprintf(name, sizeof name, "file-%d", i);
        EXPECT(EPITAPH_OK, epitaph_attachment_add("/file", name));
    }
    EXPECT(EPITAPH_NO_ROOM, epitaph_attachment_add("/file", "one-more"));
    EXPECT(EPITAPH_OK, epitaph_attachment_add("/other", "file-3"));
    epitaph_attachment_remove("file-5");
    EXPECT(EPITAPH_OK, epitaph_attachment_add("/file", "one-more"));
    write_to_nowhere();
}

static unsigned rounds;

static void *hammer(void *argument) {
    char name[16], path[4000];
    snprintf(name, sizeof name, "hammer-%d", (int)((uintptr_t)argument % 4));
    sigset_t all;
    sigfillset(&all);
    // The handler cannot stop this thread.
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (unsigned round = 0;; round++) {
        size_t length = round % 2 == 0 ? sizeof path - 1 : 2;
        memset(path, 'a' + (int)(round % 26), length);
        path[0] = '/';
        path[length] = 0;
        epitaph_attachment_add(path, name);
        if (round % 16 == 15) epitaph_attachment_remove(name);
        __atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

WAY crash_under_the_hammer(void) {
    epitaph_limits limits = {.size_bytes = sizeof limits, .stop_timeout_ms = 20};
    epitaph_limits_set(&limits);
    pthread_t thread;
    for (uintptr_t i = 0; i < 8; i++)
        pthread_create(&thread, NULL, hammer, (void *)i);
    while (__atomic_load_n(&rounds, __ATOMIC_RELAXED) < 5000)
        sched_yield();
    write_to_nowhere();
}

WAY report_errors(void) {
    epitaph_error error;
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_error_report(NULL, "words", &error));
    EXPECT(EPITAPH_INVALID_OPTION, epitaph_error_report("", NULL, NULL));
    EXPECT(EPITAPH_OK, epitaph_error_report("Ledger: torn\n", "row 7: gone", NULL));
    _exit(0);
}

const way attachment_ways[] = {
    {"attachments", crash_with_attachments},
    {"attachments-full", fill_attachments},
    {"attachments-hammered", crash_under_the_hammer},
    {"error-report", report_errors},
    {NULL, NULL},
};
