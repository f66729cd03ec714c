// SPDX-License-Identifier: Apache-2.0
//
// Stacks with long runs of zeros, and stacks longer than what a dump takes of them. What a test
// looks for stands in the outermost frame.

#include "settled.h"
#include "ways.h"

#include <epitaph.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MARK_BYTES = 32, BUFFER_BYTES = 3000, THREADS = 400, DEEP_BYTES = 600 << 10 };

static pthread_barrier_t begun;

static void null_write(void) {
    *(volatile int *)(uintptr_t)16 = 1;
}

/// Its callers have to use what is on their stacks afterwards, as far as a compiler can know.
static void wait_for_ever(void) {
    static volatile bool is_over;
    while (!is_over)
        poll(NULL, 0, -1);
}

/// All of it is in memory, whatever of it is used.
static void keep(const char *buffer) {
    __asm__ volatile("" : : "r"(buffer) : "memory");
}

/// What a server does that waits for a request.
__attribute__((noinline)) static int wait_with_zeros(void) {
    char buffer[BUFFER_BYTES];
    memset(buffer, 0, sizeof buffer);
    keep(buffer);
    wait_for_ever();
    return buffer[7];
}

__attribute__((noinline)) static int wait_below(const char *text) {
    char mark[MARK_BYTES];
    snprintf(mark, sizeof mark, "%s", text);
    keep(mark);
    return wait_with_zeros() + mark[0];
}

static void *wait_as_worker(void *argument) {
    pthread_setname_np(pthread_self(), "zeroed");
    pthread_barrier_wait(&begun);
    return (void *)(intptr_t)(wait_below("outermost frame") + (argument != NULL));
}

static void start_workers(unsigned count, void *(*function)(void *)) {
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, count + 1);
    for (unsigned i = 0; i < count; i++)
        pthread_create(&thread, NULL, function, NULL);
    pthread_barrier_wait(&begun);
    wait_until_settled();
}

static void crash_beside_worker(void) {
    start_workers(1, wait_as_worker);
    null_write();
}

static void crash_beside_many_workers(void) {
    start_workers(THREADS, wait_as_worker);
    null_write();
}

static void *crash_beside_main(void *argument) {
    wait_until_settled();
    null_write();
    return argument;
}

static void crash_while_main_waits(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_beside_main, NULL);
    wait_below("outermost frame");
}

static void dump_live_beside_worker(void) {
    start_workers(1, wait_as_worker);
    if (epitaph_live_dump(NULL, NULL) != EPITAPH_OK) _exit(76);
    _exit(0);
}

__attribute__((noinline)) static int use_much(void (*then)(void)) {
    volatile char used[DEEP_BYTES];
    for (size_t i = 0; i < sizeof used; i++)
        used[i] = (char)(i | 1);
    then();
    return used[1];
}

static void *wait_deep(void *argument) {
    pthread_setname_np(pthread_self(), "deep");
    pthread_barrier_wait(&begun);
    return (void *)(intptr_t)(use_much(wait_for_ever) + (argument != NULL));
}

static void crash_beside_deep(void) {
    start_workers(1, wait_deep);
    null_write();
}

__attribute__((noinline)) static int use_more(void (*then)(void)) {
    volatile char used[DEEP_BYTES];
    for (size_t i = 0; i < sizeof used; i++)
        used[i] = (char)(i | 1);
    return use_much(then) + used[1];
}

static void crash_deep(void) {
    use_more(null_write);
}

// Of glibc 2.42 and Linux 6.13.
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

// Not endless for the compiler.
__attribute__((noinline)) static int recurse(int depth) {
    volatile char used[256];
    used[depth % 256] = 1;
    return depth < 0 ? 0 : recurse(depth + 1) + used[0];
}

static void *recurse_in_thread(void *argument) {
    return argument + recurse(0);
}

static void overflow_into_guard_region(void) {
    const size_t size = 256 << 10, guard = 16 << 10;
    int protection = PROT_READ | PROT_WRITE;
    char *stack = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || madvise(stack, guard, MADV_GUARD_INSTALL) != 0) exit(77);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack + guard, size - guard);
    pthread_t thread;
    pthread_create(&thread, &attributes, recurse_in_thread, NULL);
    pthread_join(thread, NULL);
}

const way stack_ways[] = {
    {"zeroed-worker", crash_beside_worker},       {"zeroed-workers", crash_beside_many_workers},
    {"zeroed-main", crash_while_main_waits},      {"zeroed-live", dump_live_beside_worker},
    {"beside-deep", crash_beside_deep},           {"deep", crash_deep},
    {"guard-region", overflow_into_guard_region}, {NULL, NULL}};
