// SPDX-License-Identifier: Apache-2.0
//
// Blocks taken from the pool and given back.

#include "heap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /// Of four blocks three stand at the end of their slot: programs run past a block's end more
    /// often than before its start.
    PLACES = 4,
};

static epitaph_heap_extent extent_of(const epitaph_heap_slot *slot, uint32_t index) {
    uint64_t start = epitaph_heap_slot_start(&epitaph_heap_pool_now, index);
    return (epitaph_heap_extent){
        .start = start,
        .end = start + epitaph_heap_slot_bytes(&epitaph_heap_pool_now, index),
        .block = slot->address,
        .block_end = slot->address + slot->size,
    };
}

static void place(epitaph_heap_slot *slot, uint32_t index, size_t size, size_t alignment) {
    const epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    uint64_t start = epitaph_heap_slot_start(pool, index);
    bool is_at_end = epitaph_heap_is_large(pool, index) || epitaph_heap_random() % PLACES != 0;
    uint64_t address = start + epitaph_heap_slot_bytes(pool, index) - size;
    // A block without bytes needs an address of its slot.
    if (size == 0) address -= alignment;
    slot->address = is_at_end ? address / alignment * alignment : start;
    slot->size = size;
    slot->alignment = (uint32_t)alignment;
}

static bool make_accessible(epitaph_heap_extent extent) {
    return mprotect((void *)extent.start, extent.end - extent.start, PROT_READ | PROT_WRITE) == 0;
}

static void make_inaccessible(epitaph_heap_extent extent) {
    size_t bytes = extent.end - extent.start;
    if (!epitaph_heap_request_now.host.may_call()) return;
    bool is_done = mprotect((void *)extent.start, bytes, PROT_NONE) == 0;
    if (is_done) madvise((void *)extent.start, bytes, MADV_DONTNEED);
}

static void *epitaph_heap_fill_slot(size_t size, size_t alignment) {
    epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    uint32_t index, state;
    epitaph_heap_slot *slot = epitaph_heap_slot_take(size > pool->page_bytes, &index, &state);
    if (slot == NULL) return NULL;
    epitaph_heap_slot earlier = *slot;
    place(slot, index, size, alignment);
    epitaph_heap_extent extent = extent_of(slot, index);
    if (!make_accessible(extent)) {
        slot->address = earlier.address;
        slot->size = earlier.size;
        slot->alignment = earlier.alignment;
        epitaph_heap_slot_give(index, state);
        return NULL;
    }
    epitaph_heap_padding_fill(extent);
    epitaph_heap_moment_note(&pool->moments[2 * index]);
    pool->moments[2 * index + 1].time_ns = 0;
    uint64_t address = slot->address;
    __atomic_store_n(&slot->state, EPITAPH_BLOCK_LIVE, __ATOMIC_RELEASE);
    __atomic_fetch_add(&pool->sampled, 1, __ATOMIC_RELAXED);
    return (void *)address;
}

void *epitaph_heap_take(size_t size, size_t alignment) {
    epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    if (epitaph_heap_has_to_pass()) {
        epitaph_heap_countdown = 0;
        return NULL;
    }
    uint64_t rate = __atomic_load_n(&pool->rate, __ATOMIC_ACQUIRE);
    epitaph_heap_countdown = epitaph_heap_countdown_draw(rate);
    if (rate == 0 || size > pool->large_bytes || alignment > pool->page_bytes) return NULL;
    if (!epitaph_heap_request_now.host.may_call()) return NULL;
    int error_number = errno;
    void *block = NULL;
    uint32_t before = __atomic_fetch_add(&pool->in_use, 1, __ATOMIC_ACQ_REL);
    if (before < pool->block_limit && epitaph_heap_can_afford_sample(rate)) {
        block = epitaph_heap_fill_slot(size, alignment);
    }
    if (block == NULL) __atomic_fetch_sub(&pool->in_use, 1, __ATOMIC_ACQ_REL);
    errno = error_number;
    return block;
}

static epitaph_heap_slot *slot_of(const void *block, uint32_t *index) {
    const epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    if (!epitaph_heap_slot_find(pool, (uint64_t)block, index)) return NULL;
    epitaph_heap_slot *slot = &pool->slots[*index];
    bool is_used = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != EPITAPH_HEAP_NEVER_USED;
    return is_used ? slot : NULL;
}

/// The slot of a block, or the end of a program that gives another address.
static epitaph_heap_slot *expect_slot(const void *block, uint32_t *index) {
    epitaph_heap_slot *slot = slot_of(block, index);
    if (slot == NULL || slot->address != (uint64_t)block) {
        epitaph_heap_end(EPITAPH_HEAP_INVALID_FREE, (uint64_t)block);
    }
    return slot;
}

static void note_first_word(epitaph_heap_slot *slot) {
    uint64_t word = 0;
    if (slot->size >= sizeof word) memcpy(&word, (const void *)slot->address, sizeof word);
    slot->first_word = epitaph_heap_may_be_address(word) ? word : 0;
}

static uint32_t copy_found(uint8_t *found, uint64_t address, epitaph_heap_extent extent) {
    uint64_t end = address < extent.block ? extent.block : extent.end;
    uint64_t count = end - address;
    if (count > EPITAPH_HEAP_FOUND_BYTES) count = EPITAPH_HEAP_FOUND_BYTES;
    memcpy(found, (const void *)address, count);
    return (uint32_t)count;
}

void epitaph_heap_give(void *block) {
    epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    uint32_t index;
    epitaph_heap_slot *slot = expect_slot(block, &index);
    if (!epitaph_heap_slot_take_in(slot, EPITAPH_BLOCK_LIVE)) {
        epitaph_heap_end(EPITAPH_HEAP_DOUBLE_FREE, (uint64_t)block);
    }
    int error_number = errno;
    uint8_t found[EPITAPH_HEAP_FOUND_BYTES];
    uint32_t found_count = 0;
    epitaph_heap_extent extent = extent_of(slot, index);
    uint64_t written = epitaph_heap_padding_check(extent);
    if (written != 0) found_count = copy_found(found, written, extent);
    note_first_word(slot);
    epitaph_heap_moment_note(&pool->moments[2 * index + 1]);
    make_inaccessible(extent);
    epitaph_heap_slot_give(index, EPITAPH_BLOCK_FREED);
    __atomic_fetch_sub(&pool->in_use, 1, __ATOMIC_ACQ_REL);
    if (written != 0) epitaph_heap_tell_overwritten(written, found, found_count);
    errno = error_number;
}

size_t epitaph_heap_size(const void *block) {
    uint32_t index;
    const epitaph_heap_slot *slot = slot_of(block, &index);
    bool is_block = slot != NULL && slot->address == (uint64_t)block &&
                    __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == EPITAPH_BLOCK_LIVE;
    return is_block ? slot->size : 0;
}

void *epitaph_heap_resize(void *block, size_t size) {
    uint32_t index;
    const epitaph_heap_slot *slot = expect_slot(block, &index);
    if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != EPITAPH_BLOCK_LIVE) {
        epitaph_heap_end(EPITAPH_HEAP_DOUBLE_FREE, (uint64_t)block);
    }
    void *next = NULL;
    if (size != 0 && --epitaph_heap_countdown < 0)
        next = epitaph_heap_take(size, EPITAPH_HEAP_USUAL_ALIGNMENT);
    if (next == NULL) next = epitaph_heap_next.malloc(size == 0 ? 1 : size);
    if (next == NULL) return NULL;
    // What a size of 0 means is the business of the allocator below.
    if (size == 0) next = epitaph_heap_next.realloc(next, 0);
    if (size != 0) memcpy(next, block, slot->size < size ? slot->size : size);
    epitaph_heap_give(block);
    return next;
}
