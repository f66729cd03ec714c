// SPDX-License-Identifier: Apache-2.0
//
// Starts Epitaph as a C program does that has it installed, and dies in the way that is named.
//
//     dying DATABASE WAY

#include <epitaph.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

enum { IDLE_THREADS = 8 };

/// Of another library, which makes the thread itself; see maker.c.
extern int make_thread(void *(*function)(void *)) __attribute__((weak));

static int deep(int depth) {
    volatile char frame[4096];
    frame[0] = (char)depth;
    return deep(depth + 1) + frame[0];
}

static void *overflow(void *argument) {
    printf("%d\n", deep(0));
    return argument;
}

static int overflow_c11(void *argument) {
    return overflow(argument) != NULL;
}

static void *idle(void *argument) {
    for (;;)
        pause();
    return argument;
}

static void *write_to_null(void *argument) {
    *(volatile int *)16 = 1;
    return argument;
}

static int in_thread(void *(*function)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, NULL) != 0) return 1;
    return pthread_join(thread, NULL);
}

static int among_idle_threads(void) {
    pthread_t thread;
    for (int i = 0; i < IDLE_THREADS; i++) {
        if (pthread_create(&thread, NULL, idle, NULL) != 0) return 1;
    }
    write_to_null(NULL);
    return 1;
}

static int die(const char *way) {
    thrd_t thread;
    if (strcmp(way, "version") == 0) return puts(epitaph_version()) < 0;
    if (strcmp(way, "exit") == 0) return 5;
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "overflow") == 0) overflow(NULL);
    if (strcmp(way, "overflow-thread") == 0) return in_thread(overflow);
    if (strcmp(way, "overflow-thrd") == 0) {
        if (thrd_create(&thread, overflow_c11, NULL) != thrd_success) return 1;
        return thrd_join(thread, NULL);
    }
    if (strcmp(way, "overflow-library") == 0) return make_thread == NULL || make_thread(overflow);
    if (strcmp(way, "threads") == 0) return among_idle_threads();
    return 64;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.installed";
    options.allows_debugger = 1;
    epitaph_error error;
    if (epitaph_start(&options, &error) != EPITAPH_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 70;
    }
    epitaph_attribute_set_integer("answer", 42);
    return die(arguments[2]);
}
