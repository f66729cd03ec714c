// SPDX-License-Identifier: Apache-2.0
//
// own-allocator DATABASE: a program with an allocator of its own, which holds that allocator's lock
// while it waits for the first words of a thread it made. Whoever allocates or frees in the new
// thread before the program's function begins never gets there.

#include "starting.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/// glibc's, under the names that stay when a program has its own.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static sem_t has_begun;

void *malloc(size_t size) {
    pthread_mutex_lock(&lock);
    void *memory = __libc_malloc(size);
    pthread_mutex_unlock(&lock);
    return memory;
}

void *calloc(size_t count, size_t size) {
    pthread_mutex_lock(&lock);
    void *memory = __libc_calloc(count, size);
    pthread_mutex_unlock(&lock);
    return memory;
}

void *realloc(void *earlier, size_t size) {
    pthread_mutex_lock(&lock);
    void *memory = __libc_realloc(earlier, size);
    pthread_mutex_unlock(&lock);
    return memory;
}

void free(void *memory) {
    pthread_mutex_lock(&lock);
    __libc_free(memory);
    pthread_mutex_unlock(&lock);
}

static void *begin(void *argument) {
    sem_post(&has_begun);
    return argument;
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    start_epitaph(arguments[1]);
    sem_init(&has_begun, 0, 0);
    pthread_t thread;
    pthread_mutex_lock(&lock);
    if (pthread_create(&thread, NULL, begin, NULL) != 0) return 71;
    sem_wait(&has_begun);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
