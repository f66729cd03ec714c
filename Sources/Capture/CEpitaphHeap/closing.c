// SPDX-License-Identifier: Apache-2.0
//
// Freed slots become inaccessible. That interrupts every processor on which another thread of the
// process runs, so a process that frees very many sampled blocks has some of them wait for others,
// and closes neighbours together.

#include "heap.h"

#include <sys/mman.h>

enum {
    /// So many wait at most, of 256, but for those that other threads add meanwhile. With fewer
    /// slots one of so many.
    WAITING_LIMIT = 64,
    SLOTS_PER_WAITING = 4,
    /// How often slots are closed that wait for none, and how much of this time can be saved up.
    CLOSING_NS = 1000000,
    SAVED_NS = 64 * CLOSING_NS,
};

/// Slots that wait, of one page and large ones. In the lower half the number of the one that was
/// added last, plus one, in the upper half how many there are. Slots are only added, and all are
/// taken together, so that nobody takes a list for an earlier one that begins as it does.
static uint64_t waiting[2];

/// Of each slot that waits, the list before it was added.
static uint32_t *earlier;

void epitaph_heap_closing_begin(uint32_t *links) {
    earlier = links;
}

static void add(uint64_t *list, uint32_t index) {
    uint64_t before = __atomic_load_n(list, __ATOMIC_RELAXED);
    uint64_t after;
    do {
        earlier[index] = (uint32_t)before;
        after = ((before >> 32) + 1) << 32 | (index + 1);
    } while (!__atomic_compare_exchange_n(list, &before, after, true, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
}

static uint64_t count_of(const uint64_t *list) {
    return __atomic_load_n(list, __ATOMIC_RELAXED) >> 32;
}

/// Stores up to WAITING_LIMIT of the rest of a list, by address, and returns how many.
static uint32_t take_some(uint32_t *rest, uint32_t *slots) {
    uint32_t count = 0;
    for (; *rest != 0 && count < WAITING_LIMIT; *rest = earlier[*rest - 1]) {
        uint32_t place = count++;
        for (; place > 0 && slots[place - 1] > *rest - 1; place--)
            slots[place] = slots[place - 1];
        slots[place] = *rest - 1;
    }
    return count;
}

/// Neighbouring slots with one call: the guards between them stay as they are. A page stays in
/// memory, for the next block; more of them do not.
static void make_inaccessible(uint32_t first, uint32_t last) {
    const epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    if (!epitaph_heap_request_now.host.may_call()) return;
    uint64_t start = epitaph_heap_slot_start(pool, first);
    uint64_t end = epitaph_heap_slot_start(pool, last) + epitaph_heap_slot_bytes(pool, last);
    bool is_done = mprotect((void *)start, end - start, PROT_NONE) == 0;
    if (is_done && epitaph_heap_slot_bytes(pool, last) > pool->page_bytes) {
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
}

/// They are used again in the order of their addresses: neighbours are then often in use, and
/// freed, at about the same time.
static void close_slots(const uint32_t *slots, uint32_t count) {
    for (uint32_t i = 0, first = 0; i < count; i++) {
        if (i + 1 < count && slots[i + 1] == slots[i] + 1) continue;
        make_inaccessible(slots[first], slots[i]);
        first = i + 1;
    }
    epitaph_heap_slots_give(slots, count, EPITAPH_BLOCK_FREED);
}

/// Stored, not counted: where a thread was left behind by fork(2), the next one that closes sets it
/// right.
static uint32_t is_closing;

bool epitaph_heap_is_closing(void) {
    return __atomic_load_n(&is_closing, __ATOMIC_RELAXED) != 0;
}

static void close_all(uint64_t *list) {
    uint32_t slots[WAITING_LIMIT];
    __atomic_store_n(&is_closing, 1, __ATOMIC_RELAXED);
    uint32_t rest = (uint32_t)__atomic_exchange_n(list, 0, __ATOMIC_ACQUIRE);
    for (uint32_t count; (count = take_some(&rest, slots)) != 0;)
        close_slots(slots, count);
    __atomic_store_n(&is_closing, 0, __ATOMIC_RELAXED);
}

/// Whether a slot need not wait. `paid` is up to when the time that passes is spent.
static bool can_afford(uint64_t now_ns) {
    static uint64_t paid;
    if (epitaph_heap_is_closing()) return false;
    uint64_t before = __atomic_load_n(&paid, __ATOMIC_RELAXED);
    uint64_t saved_since = now_ns > SAVED_NS ? now_ns - SAVED_NS : 0;
    uint64_t after = (before > saved_since ? before : saved_since) + CLOSING_NS;
    return after <= now_ns && __atomic_compare_exchange_n(&paid, &before, after, false,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool are_many(const uint64_t *list) {
    const epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    uint32_t small_count = pool->small_count;
    uint32_t slot_count = list == waiting ? small_count : pool->slot_count - small_count;
    uint64_t count = count_of(list);
    return count >= WAITING_LIMIT || count >= slot_count / SLOTS_PER_WAITING;
}

void epitaph_heap_close(epitaph_heap_slot *slot, uint32_t index, uint64_t now_ns) {
    uint64_t *list = &waiting[epitaph_heap_is_large(&epitaph_heap_pool_now, index)];
    if (epitaph_heap_is_dense(__atomic_load_n(&epitaph_heap_pool_now.rate, __ATOMIC_RELAXED))) {
        close_slots(&index, 1);
        return;
    }
    // Before others find it in the list.
    __atomic_store_n(&slot->state, EPITAPH_HEAP_STILL_OPEN, __ATOMIC_RELEASE);
    add(list, index);
    if (are_many(list) || can_afford(now_ns)) close_all(list);
}

void epitaph_heap_close_waiting(uint64_t now_ns) {
    for (uint64_t *list = waiting; list < waiting + 2; list++)
        if (count_of(list) != 0 && can_afford(now_ns)) close_all(list);
}
