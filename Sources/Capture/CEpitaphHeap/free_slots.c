// SPDX-License-Identifier: Apache-2.0
//
// Free slots in the order in which they were freed, so that an address is used again as late as
// possible. A ring without a lock: whoever takes or gives a place counts it first. Between counting
// and storing a place looks empty, or the thread is gone: then the slots are searched.

#include "heap.h"

typedef struct ring {
    /// Numbers of slots, plus one; 0: empty.
    uint32_t *places;
    uint32_t first_slot;
    uint32_t count;
    uint32_t given;
    uint32_t taken;
} ring;

/// For the slots of one page, and for the large ones.
static ring rings[2];

static void begin(ring *ring, uint32_t *places, uint32_t first_slot, uint32_t count) {
    *ring = (struct ring){.places = places, .first_slot = first_slot, .count = count};
    for (uint32_t i = 0; i < count; i++)
        places[i] = first_slot + i + 1;
}

void epitaph_heap_free_slots_begin(uint32_t *order) {
    const epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    begin(&rings[0], order, 0, pool->small_count);
    begin(&rings[1], order + pool->small_count, pool->small_count,
          pool->slot_count - pool->small_count);
}

bool epitaph_heap_slot_take_in(epitaph_heap_slot *slot, uint32_t state) {
    return __atomic_compare_exchange_n(&slot->state, &state, EPITAPH_BLOCK_CHANGING, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool take_free(epitaph_heap_slot *slot, uint32_t *state) {
    *state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
    bool is_free = *state == EPITAPH_HEAP_NEVER_USED || *state == EPITAPH_BLOCK_FREED;
    return is_free && epitaph_heap_slot_take_in(slot, *state);
}

epitaph_heap_slot *epitaph_heap_slot_take(bool is_large, uint32_t *index, uint32_t *state) {
    epitaph_heap_slot *slots = epitaph_heap_pool_now.slots;
    ring *ring = &rings[is_large];
    uint32_t turn = __atomic_fetch_add(&ring->taken, 1, __ATOMIC_RELAXED) % ring->count;
    uint32_t number = __atomic_exchange_n(&ring->places[turn], 0, __ATOMIC_ACQ_REL);
    *index = number - 1;
    if (number != 0 && take_free(&slots[*index], state)) return &slots[*index];
    for (uint32_t i = 0; i < ring->count; i++) {
        *index = ring->first_slot + i;
        if (take_free(&slots[*index], state)) return &slots[*index];
    }
    return NULL;
}

void epitaph_heap_slot_give(uint32_t index, uint32_t state) {
    epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    ring *ring = &rings[epitaph_heap_is_large(pool, index)];
    uint32_t turn = __atomic_fetch_add(&ring->given, 1, __ATOMIC_RELAXED) % ring->count;
    __atomic_store_n(&pool->slots[index].state, state, __ATOMIC_RELEASE);
    __atomic_store_n(&ring->places[turn], index + 1, __ATOMIC_RELEASE);
}
