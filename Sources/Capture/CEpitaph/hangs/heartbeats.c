// SPDX-License-Identifier: Apache-2.0
//
// A beat is a few relaxed loads and stores: the watchdog only needs to see the number change.

#include "hangs/hangs.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static epitaph_heartbeat_place places[EPITAPH_HEARTBEAT_LIMIT];

#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define STORE(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)

/// The generation is in the upper half and invalidates ended heartbeats.
static epitaph_heartbeat number_of(uint32_t index, uint32_t generation) {
    return (uint64_t)generation << 32 | (index + 1);
}

static epitaph_heartbeat_place *place_of(epitaph_heartbeat heartbeat) {
    uint32_t index = (uint32_t)heartbeat - 1;
    if (index >= EPITAPH_HEARTBEAT_LIMIT) return NULL;
    epitaph_heartbeat_place *place = &places[index];
    uint32_t generation = __atomic_load_n(&place->generation, __ATOMIC_ACQUIRE);
    return generation == (uint32_t)(heartbeat >> 32) ? place : NULL;
}

epitaph_heartbeat epitaph_heartbeats_take(const char *name, uint64_t threshold_ns) {
    for (uint32_t i = 0; i < EPITAPH_HEARTBEAT_LIMIT; i++) {
        epitaph_heartbeat_place *place = &places[i];
        uint32_t generation = LOAD(place->generation);
        if (generation % 2 != 0) continue;
        memset(place->name, 0, sizeof place->name);
        strncpy(place->name, name, sizeof place->name - 1);
        STORE(place->is_paused, 0);
        STORE(place->asked, 0);
        STORE(place->answered, 0);
        STORE(place->thread_pointer, 0);
        STORE(place->tid, 0);
        STORE(place->has_fixed_thread, 0);
        STORE(place->threshold_ns, threshold_ns);
        __atomic_store_n(&place->generation, generation + 1, __ATOMIC_RELEASE);
        return number_of(i, generation + 1);
    }
    return 0;
}

void epitaph_heartbeats_forget(void) {
    for (uint32_t i = 0; i < EPITAPH_HEARTBEAT_LIMIT; i++) {
        uint32_t generation = LOAD(places[i].generation);
        if (generation % 2 != 0) {
            __atomic_store_n(&places[i].generation, generation + 1, __ATOMIC_RELEASE);
        }
    }
}

bool epitaph_heartbeats_look(uint32_t index, epitaph_heartbeat_state *state) {
    const epitaph_heartbeat_place *place = &places[index];
    state->generation = __atomic_load_n(&place->generation, __ATOMIC_ACQUIRE);
    if (state->generation % 2 == 0) return false;
    // Load the answer before the question; an answer in between is seen in the next round.
    uint64_t answered = __atomic_load_n(&place->answered, __ATOMIC_ACQUIRE);
    uint64_t asked = __atomic_load_n(&place->asked, __ATOMIC_ACQUIRE);
    state->count = LOAD(place->count) + answered;
    state->is_awaited = asked == 0 ? LOAD(place->is_paused) == 0 : answered < asked;
    state->tid = LOAD(place->tid);
    state->threshold_ns = LOAD(place->threshold_ns);
    return true;
}

const char *epitaph_heartbeats_name(uint32_t index) {
    return places[index].name;
}

/// Concurrent beats may lose one, but the count still changes.
static void beat(epitaph_heartbeat_place *place) {
    STORE(place->count, LOAD(place->count) + 1);
    uint64_t self = (uint64_t)pthread_self();
    if (LOAD(place->thread_pointer) == self || LOAD(place->has_fixed_thread) != 0) return;
    STORE(place->thread_pointer, self);
    STORE(place->tid, (int32_t)syscall(SYS_gettid));
}

void epitaph_heartbeat_beat(epitaph_heartbeat heartbeat) {
    epitaph_heartbeat_place *place = place_of(heartbeat);
    if (place != NULL) beat(place);
}

void epitaph_heartbeat_pause(epitaph_heartbeat heartbeat) {
    epitaph_heartbeat_place *place = place_of(heartbeat);
    if (place == NULL) return;
    // A pause that ends before the next round is a sign of life too.
    beat(place);
    STORE(place->is_paused, 1);
}

void epitaph_heartbeat_resume(epitaph_heartbeat heartbeat) {
    epitaph_heartbeat_place *place = place_of(heartbeat);
    if (place == NULL) return;
    beat(place);
    STORE(place->is_paused, 0);
}

void epitaph_heartbeat_ask(epitaph_heartbeat heartbeat, uint64_t number) {
    epitaph_heartbeat_place *place = place_of(heartbeat);
    if (place != NULL) __atomic_store_n(&place->asked, number, __ATOMIC_RELEASE);
}

void epitaph_heartbeat_answer(epitaph_heartbeat heartbeat, uint64_t number) {
    epitaph_heartbeat_place *place = place_of(heartbeat);
    if (place == NULL) return;
    // In a pool any thread may answer and then move on; only the main thread is remembered.
    int32_t tid = (int32_t)syscall(SYS_gettid);
    if (LOAD(place->has_fixed_thread) == 0) STORE(place->tid, tid == getpid() ? tid : 0);
    __atomic_store_n(&place->answered, number, __ATOMIC_RELEASE);
}

void epitaph_heartbeat_set_thread(epitaph_heartbeat heartbeat, int32_t thread) {
    epitaph_heartbeat_place *place = place_of(heartbeat);
    if (place == NULL) return;
    STORE(place->tid, thread);
    STORE(place->has_fixed_thread, 1);
}

void epitaph_heartbeat_unregister(epitaph_heartbeat heartbeat) {
    epitaph_heartbeat_place *place = place_of(heartbeat);
    if (place == NULL) return;
    uint32_t generation = (uint32_t)(heartbeat >> 32);
    __atomic_compare_exchange_n(&place->generation, &generation, generation + 1, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
