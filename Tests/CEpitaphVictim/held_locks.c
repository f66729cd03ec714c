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
#include <unistd.h>

// Not there in a program that is linked statically.
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak));

#define WAY __attribute__((noinline)) static void

enum { CHUNK_BYTES = 3000, LOADER_BYTES = 256 << 10 };

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
    void *volatile keeps_it_from_others = malloc(CHUNK_BYTES);
    uintptr_t *volatile chunk = malloc(CHUNK_BYTES);
    void *volatile keeps_it_from_the_top = malloc(CHUNK_BYTES);
    free(chunk);
    volatile uintptr_t *freed = chunk;
    freed[0] = freed[1] = 4096;
    void *volatile never = malloc(2 * CHUNK_BYTES);
    (void)never;
    (void)keeps_it_from_others;
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
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
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

/// glibc keeps threads in lists that begin in the loader's data and run through the control blocks.
/// Finds in the block at `control` the link that the list's head points to, and the head.
static uintptr_t *find_list_head(const uintptr_t *control) {
    const struct r_debug *debug = NULL;
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_DEBUG) debug = (const struct r_debug *)entry->d_un.d_ptr;
    }
    for (size_t i = 0; debug != NULL && i < 256; i++) {
        uintptr_t *head = (uintptr_t *)control[i + 1];
        if ((uintptr_t)head - debug->r_ldbase >= LOADER_BYTES) continue;
        if (((uintptr_t)head & 7) == 0 && *head == (uintptr_t)(control + i)) return head;
    }
    return NULL;
}

/// With the list destroyed, pthread_create(3) faults as it adds to it: with the list's lock.
WAY crash_in_thread_list(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    uintptr_t *head = find_list_head((const uintptr_t *)thread);
    if (head == NULL) exit(78);
    *head = 16;
    pthread_create(&thread, NULL, wait_for_ever, NULL);
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
