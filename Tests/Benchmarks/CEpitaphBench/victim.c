// SPDX-License-Identifier: Apache-2.0

#include "victim.h"

#include "contents.h"

#include <dirent.h>
#include <epitaph.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    USED_STACK_BYTES = 64 << 10,
    THREAD_STACK_BYTES = 256 << 10,
    BUFFER_BYTES = 1 << 20,
    ANNOTATION_COUNT = 8,
    ANNOTATION_ROUNDS = 100000,
    BREADCRUMB_ROUNDS = 1000000,
};

static uint32_t ready_threads;
static int prepared_fd = -1;
static char prepared_bytes[BUFFER_BYTES];
static size_t prepared_count;
static benchmark_times *shared;

uint64_t benchmark_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int start_epitaph(const char *directory, int allows_debugger) {
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = directory;
    options.bundle_id = "org.example.benchmark";
    // Room for 1,000 threads with a little more than 64 KiB each.
    options.all_stacks_bytes = 128 << 20;
    options.allows_debugger = allows_debugger;
    epitaph_error error;
    shared->before_start = benchmark_clock_ns();
    epitaph_status status = epitaph_start(&options, &error);
    shared->after_start = benchmark_clock_ns();
    if (status != EPITAPH_OK) fprintf(stderr, "%s\n", error.message);
    return status == EPITAPH_OK ? 0 : -1;
}

static void write_prepared(int signal) {
    while (prepared_count > 0) {
        size_t part = prepared_count < BUFFER_BYTES ? prepared_count : BUFFER_BYTES;
        ssize_t written = write(prepared_fd, prepared_bytes, part);
        if (written <= 0) _exit(71);
        prepared_count -= (size_t)written;
    }
    shared->bytes_written = benchmark_clock_ns();
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
}

/// The same mebibyte is written again and again: it stays in the processor's cache and takes no
/// time to give back, so that the floor is low.
static int prepare_write(const char *directory, uint64_t bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/bare", directory);
    prepared_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (prepared_fd < 0) return -1;
    prepared_count = bytes;
    memset(prepared_bytes, 'x', prepared_count < BUFFER_BYTES ? prepared_count : BUFFER_BYTES);
    struct sigaction action = {.sa_handler = write_prepared};
    return sigaction(SIGSEGV, &action, NULL);
}

/// Not on a stack, so that only `use` touches one.
static char content_bytes[USED_STACK_BYTES];
static bool is_touched;

__attribute__((noinline)) static void use(volatile char *bytes) {
    if (is_touched) {
        benchmark_fill("touched", (char *)bytes, USED_STACK_BYTES);
    } else {
        memcpy((char *)bytes, content_bytes, USED_STACK_BYTES);
    }
}

static void *wait_with_used_stack(void *argument) {
    volatile char used[USED_STACK_BYTES];
    use(used);
    __atomic_fetch_add(&ready_threads, 1, __ATOMIC_RELEASE);
    while (pause() != 0)
        continue;
    used[0] = used[1];
    return argument;
}

static int start_threads(uint32_t count) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, wait_with_used_stack, NULL) != 0) return -1;
    }
    for (int i = 0; i < 20000; i++) {
        if (__atomic_load_n(&ready_threads, __ATOMIC_ACQUIRE) == count) break;
        usleep(1000);
    }
    // From the count to pause(2).
    usleep(5000 + 20 * count);
    return __atomic_load_n(&ready_threads, __ATOMIC_ACQUIRE) == count ? 0 : -1;
}

int benchmark_victim(const benchmark_death *death, const char *directory, benchmark_times *times) {
    shared = times;
    is_touched = strcmp(death->content, "touched") == 0;
    if (!benchmark_fill(death->content, content_bytes, USED_STACK_BYTES)) return 64;
    if (strcmp(death->way, "epitaph") == 0 && start_epitaph(directory, 0) != 0) return 70;
    if (strcmp(death->way, "write") == 0 && prepare_write(directory, death->bytes) != 0) return 70;
    if (start_threads((uint32_t)death->threads - 1) != 0) return 70;
    volatile char used[USED_STACK_BYTES];
    use(used);
    shared->before_fault = benchmark_clock_ns();
    *(volatile int *)(uintptr_t)16 = 1;
    return used[0];
}

static uint64_t time_breadcrumbs(void) {
    uint64_t start = benchmark_clock_ns();
    for (int i = 0; i < BREADCRUMB_ROUNDS; i++)
        epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "http", "GET /index.html");
    return (benchmark_clock_ns() - start) * 1000 / BREADCRUMB_ROUNDS;
}

int benchmark_quiet(const char *directory, benchmark_times *times) {
    shared = times;
    if (start_epitaph(directory, 0) != 0) return 70;
    static const char *const names[ANNOTATION_COUNT] = {"prod",    "ver",   "channel", "platform",
                                                        "request", "phase", "user",    "shard"};
    for (int i = 0; i < ANNOTATION_COUNT; i++)
        epitaph_annotation_set(names[i], "first");
    uint64_t start = benchmark_clock_ns();
    for (int i = 0; i < ANNOTATION_ROUNDS; i++) {
        for (int j = 0; j < ANNOTATION_COUNT; j++)
            epitaph_annotation_set(names[j], i % 2 == 0 ? "GET /index.html" : "POST /basket");
    }
    uint64_t spent_ns = benchmark_clock_ns() - start;
    shared->annotation_ps = spent_ns * 1000 / (ANNOTATION_ROUNDS * ANNOTATION_COUNT);
    shared->breadcrumb_ps = time_breadcrumbs();
    epitaph_stop();
    return 0;
}

int benchmark_idle(const char *directory) {
    static benchmark_times unused;
    shared = &unused;
    if (start_epitaph(directory, 1) != 0) return 70;
    getppid();
    sleep(2);
    getppid();
    int threads = -1;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;)
        threads += task->d_name[0] != '.';
    if (tasks != NULL) closedir(tasks);
    epitaph_stop();
    return threads;
}
