// SPDX-License-Identifier: Apache-2.0
//
// Crashes while a lock of libc or the loader is held, by the crashing thread or by another one.

#include "crashes.h"
#include "ways.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

enum { CHUNK_BYTES = 3000 };

static pthread_barrier_t held;

static void *wait_for_ever(void *argument) {
    (void)argument;
    while (pause() != 0)
        continue;
    return NULL;
}

/// Frees a chunk into the unsorted list and destroys its links, so that the next allocation that
/// looks there follows them: with the arena's lock, which glibc takes once there are threads.
WAY crash_in_malloc(void) {
    start_threads(1, wait_for_ever);
    uintptr_t *volatile chunk = malloc(CHUNK_BYTES);
    void *volatile keeps_it_from_the_top = malloc(CHUNK_BYTES);
    free(chunk);
    uintptr_t *volatile freed = chunk;
    freed[0] = freed[1] = 0x6162636465666768;
    void *volatile never = malloc(2 * CHUNK_BYTES);
    (void)never;
    (void)keeps_it_from_the_top;
}

/// glibc finds the damage itself, and aborts with the lock.
WAY crash_abort_in_malloc(void) {
    start_threads(1, wait_for_ever);
    uintptr_t *volatile chunk = malloc(CHUNK_BYTES);
    size_t words = malloc_usable_size(chunk) / sizeof *chunk;
    chunk[words] = ~(uintptr_t)7;
    void *volatile never = malloc(2 * CHUNK_BYTES);
    (void)never;
}

static void *allocate(void *argument) {
    for (;;) {
        void *volatile memory = malloc(CHUNK_BYTES);
        free(memory);
    }
    return argument;
}

WAY crash_beside_malloc(void) {
    mallopt(M_ARENA_MAX, 1);
    start_threads(4, allocate);
    crash("null-write");
}

WAY crash_with_stdio(void) {
    flockfile(stdout);
    flockfile(stderr);
    crash("null-write");
}

static void *hold_stdio(void *argument) {
    flockfile(stdout);
    flockfile(stderr);
    pthread_barrier_wait(&held);
    return wait_for_ever(argument);
}

static void crash_while_held(void *(*holder)(void *)) {
    pthread_barrier_init(&held, NULL, 2);
    start_threads(1, holder);
    pthread_barrier_wait(&held);
    crash("null-write");
}

WAY crash_beside_stdio(void) {
    crash_while_held(hold_stdio);
}

static int die_in_callback(struct dl_phdr_info *info, size_t size, void *data) {
    (void)info;
    (void)size;
    (void)data;
    crash("null-write");
    return 0;
}

WAY crash_with_loader(void) {
    dl_iterate_phdr(die_in_callback, NULL);
}

static int wait_in_callback(struct dl_phdr_info *info, size_t size, void *data) {
    (void)info;
    (void)size;
    pthread_barrier_wait(&held);
    return wait_for_ever(data) != NULL;
}

static void *hold_loader(void *argument) {
    dl_iterate_phdr(wait_in_callback, argument);
    return argument;
}

WAY crash_beside_loader(void) {
    crash_while_held(hold_loader);
}

/// The library named in CRASH_DUMMY_LIBRARY has a constructor that crashes.
WAY crash_in_dlopen(void) {
    void *library = dlopen(getenv("CRASH_DUMMY_LIBRARY"), RTLD_NOW);
    fprintf(stderr, "%s\n", library == NULL ? dlerror() : "its constructor returned");
    exit(72);
}

/// glibc keeps threads with stacks of their own in a list that runs through their control blocks.
/// With one of those gone, pthread_create(3) faults as it adds to the list: with the list's lock.
WAY crash_in_thread_list(void) {
    const size_t size = 256 << 10;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_barrier_init(&held, NULL, 2);
    char *stacks = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_setstack(&attributes, stacks, size);
    pthread_create(&thread, &attributes, wait_for_ever, NULL);
    usleep(5000);
    mprotect(stacks, size, PROT_NONE);
    pthread_attr_setstack(&attributes, stacks + size, size);
    pthread_create(&thread, &attributes, wait_for_ever, NULL);
}

static void *do_nothing(void *argument) {
    return argument;
}

static void *create_threads(void *argument) {
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) pthread_join(thread, NULL);
    }
    return argument;
}

/// Threads that come and go on several threads: some hold the list's lock, some have all signals
/// blocked, some have just begun or end.
WAY crash_beside_thread_list(void) {
    start_threads(4, create_threads);
    crash("null-write");
}

const way held_lock_ways[] = {
    {"in-malloc", crash_in_malloc},
    {"abort-in-malloc", crash_abort_in_malloc},
    {"beside-malloc", crash_beside_malloc},
    {"with-stdio", crash_with_stdio},
    {"beside-stdio", crash_beside_stdio},
    {"with-loader", crash_with_loader},
    {"beside-loader", crash_beside_loader},
    {"in-dlopen", crash_in_dlopen},
    {"in-thread-list", crash_in_thread_list},
    {"beside-thread-list", crash_beside_thread_list},
    {NULL, NULL},
};
