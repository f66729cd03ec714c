// SPDX-License-Identifier: Apache-2.0
//
// allocating DATABASE HOW [KEYS]: has an allocator with one plain lock, as some have, and makes a
// thread while it holds that lock, then waits for the thread to run: by pthread_create(3), or with
// HOW "c11" by thrd_create(3). With KEYS that many keys of pthread_key_create(3) are in use before.

#include <epitaph.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int depth;
static int is_running;

static void enter(void) {
    if (depth++ == 0) pthread_mutex_lock(&lock);
}

static void leave(void) {
    if (--depth == 0) pthread_mutex_unlock(&lock);
}

void *malloc(size_t size) {
    enter();
    void *memory = __libc_malloc(size);
    leave();
    return memory;
}

void *calloc(size_t count, size_t size) {
    enter();
    void *memory = __libc_calloc(count, size);
    leave();
    return memory;
}

void *realloc(void *old, size_t size) {
    enter();
    void *memory = __libc_realloc(old, size);
    leave();
    return memory;
}

void free(void *memory) {
    enter();
    __libc_free(memory);
    leave();
}

static void *run(void *argument) {
    __atomic_store_n(&is_running, 1, __ATOMIC_RELEASE);
    return argument;
}

static int run_c11(void *argument) {
    run(argument);
    return 0;
}

int main(int count, char **arguments) {
    for (long keys = count > 3 ? atol(arguments[3]) : 0; keys > 0; keys--) {
        pthread_key_t key;
        pthread_key_create(&key, NULL);
    }
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.allocating";
    if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
    pthread_t posix;
    thrd_t c11;
    int is_c11 = strcmp(arguments[2], "c11") == 0;
    enter();
    int result = is_c11 ? thrd_create(&c11, run_c11, NULL) != thrd_success
                        : pthread_create(&posix, NULL, run, NULL);
    if (result != 0) return 71;
    while (!__atomic_load_n(&is_running, __ATOMIC_ACQUIRE))
        usleep(100);
    leave();
    if (is_c11) return thrd_join(c11, NULL) != thrd_success;
    return pthread_join(posix, NULL);
}
