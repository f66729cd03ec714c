// SPDX-License-Identifier: Apache-2.0

#include "common.h"

#include <epitaph.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long longest_us;

void give_up(const char *what) {
    perror(what);
    _exit(69);
}

__attribute__((noinline)) void write_to_nowhere(void) {
    *(volatile int *)(uintptr_t)16 = 1;
}

static void *idle(void *tid) {
    __atomic_store_n((pid_t *)tid, gettid(), __ATOMIC_RELEASE);
    for (;;)
        pause();
    return tid;
}

/// Whether a thread sleeps: the third field of its stat, proc(5).
static int is_asleep(pid_t tid) {
    char path[64], text[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    int file = open(path, O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0) give_up(path);
    close(file);
    return strstr(text, ") S") != NULL;
}

void start_idle_threads(int count) {
    pthread_t thread;
    for (int i = 0; i < count; i++) {
        pid_t tid = 0;
        if (pthread_create(&thread, NULL, idle, &tid) != 0) give_up("pthread_create");
        // A filter that comes now may not allow the call in which it is to sleep.
        while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE) == 0 || !is_asleep(tid))
            usleep(100);
    }
}

static long now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void *beat(void *argument) {
    for (long last = now_us(), now;; last = now) {
        usleep(1000);
        now = now_us();
        if (now - last > __atomic_load_n(&longest_us, __ATOMIC_RELAXED))
            __atomic_store_n(&longest_us, now - last, __ATOMIC_RELAXED);
    }
    return argument;
}

void start_heartbeat(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, beat, NULL) != 0) give_up("pthread_create");
}

void tell_heartbeat(void) {
    // The beat that was delayed.
    usleep(20000);
    fprintf(stderr, "standstill %ld\n", __atomic_load_n(&longest_us, __ATOMIC_RELAXED) / 1000);
}

void dump_alive(void) {
    epitaph_error error;
    if (epitaph_live_dump(NULL, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    _exit(73);
}

int says(const char *argument, const char *word) {
    size_t length = strlen(word);
    for (const char *at = argument; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, word, length) == 0 && (at[length] == 0 || at[length] == ',')) return 1;
    }
    return 0;
}
