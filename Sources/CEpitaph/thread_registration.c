// SPDX-License-Identifier: Apache-2.0
//
// A thread's place in the registry goes with the thread: libc calls the key's destructor however
// the thread ends.

#include "thread_registration.h"

#include "internal.h"

#include <pthread.h>
#include <stddef.h>

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t place_key;
static int has_key;

static void release(void *place) {
    epitaph_thread_registry_remove(place);
}

static void make_key(void) {
    has_key = pthread_key_create(&place_key, release) == 0;
}

void epitaph_thread_register(void) {
    pthread_once(&key_once, make_key);
    if (!has_key || pthread_getspecific(place_key) != NULL) return;
    uint64_t *place = epitaph_thread_registry_add();
    if (place != NULL && pthread_setspecific(place_key, place) != 0) {
        epitaph_thread_registry_remove(place);
    }
}
