// SPDX-License-Identifier: Apache-2.0
//
// Entries and their stacks, released by the destructor of a key, or found when their thread is
// gone.

#include "threads/alternate_stack.h"

#include "base/base.h"
#include "epitaph_process.h"

enum {
    /// Keys below this are in the thread descriptor; pthread_setspecific(3) allocates for others:
    /// PTHREAD_KEY_2NDLEVEL_SIZE, nptl/pthread_setspecific.c.
    KEYS_WITHOUT_ALLOCATION = 32,
    /// Stacks cached for later threads.
    KEPT_LIMIT = 16,
};

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t place_key;
/// NULL without a key that needs no allocation. A pointer bound before main, because a first call
/// may enter the dynamic linker and its lock.
static int (*set_value)(pthread_key_t, const void *);
static int (*volatile const setspecific)(pthread_key_t, const void *) = pthread_setspecific;

static uint32_t kept_count;
/// Entries that no destructor releases.
static uint32_t abandoned_count;

static void free_stack(epitaph_thread_place *place) {
    void *memory = place->stack;
    place->stack = NULL;
    if (memory != NULL) epitaph_guarded_memory_free(memory, epitaph_alternate_stack_size());
}

void epitaph_thread_place_free(epitaph_thread_place *place) {
    if (place->stack != NULL &&
        __atomic_fetch_add(&kept_count, 1, __ATOMIC_ACQ_REL) >= KEPT_LIMIT) {
        __atomic_fetch_sub(&kept_count, 1, __ATOMIC_RELEASE);
        free_stack(place);
    }
    epitaph_thread_place_give_back(place);
}

/// Whether the thread is done with the stack. Code that replaced it may put it back.
static bool gives_up(const void *memory) {
    stack_t present;
    if (memory == NULL) return true;
    if (epitaph_real_sigaltstack(NULL, &present) != 0 || (present.ss_flags & SS_ONSTACK) != 0)
        return false;
    if ((present.ss_flags & SS_DISABLE) != 0) return true;
    stack_t off = {.ss_flags = SS_DISABLE};
    return present.ss_sp == memory && epitaph_real_sigaltstack(&off, NULL) == 0;
}

/// Runs when a thread ends. In a forked child the entry is the parent's.
static void release(void *value) {
    epitaph_thread_place *place = value;
    // Its memory stays: to ask is a system call.
    if (epitaph_filters_may_kill() || !epitaph_thread_place_is_mine(place)) return;
    if (gives_up(place->stack)) {
        epitaph_thread_place_free(place);
    } else {
        __atomic_fetch_add(&abandoned_count, 1, __ATOMIC_RELEASE);
    }
}

void epitaph_thread_place_leave(void) {
    epitaph_thread_place *place = epitaph_thread_place_find();
    if (place != NULL) release(place);
}

static void make_key(void) {
    // The destructor must stay loaded until the last thread ends.
    epitaph_library_pin();
    if (pthread_key_create(&place_key, release) != 0) return;
    if (place_key < KEYS_WITHOUT_ALLOCATION) {
        set_value = setspecific;
    } else {
        pthread_key_delete(place_key);
    }
}

void epitaph_thread_places_begin(void) {
    pthread_once(&key_once, make_key);
}

void epitaph_thread_place_watch(epitaph_thread_place *place) {
    if (set_value != NULL && set_value(place_key, place) == 0) return;
    __atomic_fetch_add(&abandoned_count, 1, __ATOMIC_RELEASE);
}

/// Returns an entry whose thread has ended; NULL if there is none or it is unknown now.
static epitaph_thread_place *take_abandoned(void) {
    if (__atomic_load_n(&abandoned_count, __ATOMIC_ACQUIRE) == 0) return NULL;
    epitaph_thread_place *place = epitaph_thread_place_take_dead();
    if (place != NULL) __atomic_fetch_sub(&abandoned_count, 1, __ATOMIC_RELEASE);
    return place;
}

epitaph_thread_place *epitaph_thread_place_make(size_t size) {
    epitaph_thread_place *place = take_abandoned();
    if (place == NULL) {
        place = epitaph_thread_place_take();
        if (place == NULL) return NULL;
        if (place->stack != NULL) __atomic_fetch_sub(&kept_count, 1, __ATOMIC_RELEASE);
    }
    place->program_bytes = 0;
    if (size == 0) {
        free_stack(place);
        return place;
    }
    if (place->stack == NULL) place->stack = epitaph_guarded_memory_make(size);
    if (place->stack != NULL) return place;
    epitaph_thread_place_give_back(place);
    return NULL;
}
