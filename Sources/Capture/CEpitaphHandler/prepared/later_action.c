// SPDX-License-Identifier: Apache-2.0
//
// A place is written only by the writer that took it, while it is not current. One exchange of the
// state makes it current, and one is all a crash handler needs for a reset: it may interrupt a
// change in its own thread and must not wait for that.

#include "epitaph_settings.h"

enum {
    /// Each failure is another thread's change.
    TRY_LIMIT = 1000,
    FIRST_TAKEN_BIT = 4,
    GENERATION_SHIFT = 8,
};

static const uint64_t place_mask = 3;
static const uint64_t is_there = 1 << 2;
static const uint64_t is_reset = 1 << 3;
static const uint64_t taken_mask = 15 << FIRST_TAKEN_BIT;
static const uint64_t generation_step = 1 << GENERATION_SHIFT;

static uint64_t taken_bit(uint64_t place) {
    return 1ull << (FIRST_TAKEN_BIT + place);
}

static bool exchange(epitaph_later_action *later, uint64_t *state, uint64_t next) {
    return __atomic_compare_exchange_n(&later->state, state, next, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

/// Takes a place. If none is free, their writers were left behind by fork or stopped long ago.
static uint64_t with_place(uint64_t state, uint64_t *place) {
    uint64_t current = state & place_mask;
    for (uint64_t i = 0; i < EPITAPH_LATER_ACTION_PLACES; i++) {
        *place = i;
        if (i != current && (state & taken_bit(i)) == 0) return state | taken_bit(i);
    }
    *place = (current + 1) % EPITAPH_LATER_ACTION_PLACES;
    return (state & ~taken_mask) | taken_bit(*place);
}

static bool take_place(epitaph_later_action *later, uint64_t *place) {
    uint64_t state = __atomic_load_n(&later->state, __ATOMIC_ACQUIRE);
    for (int i = 0; i < TRY_LIMIT; i++) {
        if (!exchange(later, &state, with_place(state, place))) continue;
        // A reader of anything written below also sees that this place was not current.
        __atomic_thread_fence(__ATOMIC_RELEASE);
        return true;
    }
    return false;
}

static bool make_count(epitaph_later_action *later, uint64_t place) {
    uint64_t state = __atomic_load_n(&later->state, __ATOMIC_ACQUIRE);
    for (int i = 0; i < TRY_LIMIT && (state & taken_bit(place)) != 0; i++) {
        uint64_t next = state & ~(place_mask | is_reset | taken_bit(place));
        if (exchange(later, &state, (next | place | is_there) + generation_step)) return true;
    }
    return false;
}

bool epitaph_later_action_set(epitaph_later_action *later,
                              const uint64_t action[EPITAPH_LATER_ACTION_WORDS]) {
    uint64_t place;
    if (!take_place(later, &place)) return false;
    for (int i = 0; i < EPITAPH_LATER_ACTION_WORDS; i++)
        __atomic_store_n(&later->places[place][i], action[i], __ATOMIC_RELAXED);
    return make_count(later, place);
}

bool epitaph_later_action_read(const epitaph_later_action *later,
                               uint64_t action[EPITAPH_LATER_ACTION_WORDS]) {
    for (int i = 0; i < TRY_LIMIT; i++) {
        uint64_t state = __atomic_load_n(&later->state, __ATOMIC_ACQUIRE);
        if ((state & is_there) == 0) return false;
        const uint64_t *place = later->places[state & place_mask];
        for (int word = 0; word < EPITAPH_LATER_ACTION_WORDS; word++)
            action[word] = __atomic_load_n(&place[word], __ATOMIC_RELAXED);
        if ((state & is_reset) != 0) action[0] = 0;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        uint64_t again = __atomic_load_n(&later->state, __ATOMIC_RELAXED);
        if (again >> GENERATION_SHIFT == state >> GENERATION_SHIFT) return true;
    }
    // None of a thousand reads was consistent: the default rather than parts of two.
    for (int word = 0; word < EPITAPH_LATER_ACTION_WORDS; word++)
        action[word] = 0;
    return true;
}

bool epitaph_later_action_reset(epitaph_later_action *later) {
    uint64_t state = __atomic_load_n(&later->state, __ATOMIC_ACQUIRE);
    for (int i = 0; i < TRY_LIMIT && (state & is_there) != 0; i++) {
        if (exchange(later, &state, state | is_reset)) return true;
    }
    return (state & is_there) != 0;
}

void epitaph_later_action_forget(epitaph_later_action *later) {
    uint64_t state = __atomic_load_n(&later->state, __ATOMIC_ACQUIRE);
    for (int i = 0; i < TRY_LIMIT; i++) {
        if (exchange(later, &state, state & ~(is_there | is_reset))) return;
    }
}
