// SPDX-License-Identifier: Apache-2.0
//
// Writers share only a counter, which selects a slot, and skip slots that others are writing.

#include "epitaph_breadcrumb_storage.h"

#include "epitaph_notes.h"
#include "system/bytes.h"

_Static_assert(sizeof(epitaph_breadcrumb_slot) == 576, "slots are whole cache lines");
_Static_assert(sizeof(epitaph_breadcrumb_ring) == 64, "and begin at one");

/// A slot owned until `sequence` is stored; NULL if all are being written.
static epitaph_breadcrumb_slot *claim(epitaph_breadcrumb_ring *ring, uint64_t *number) {
    for (uint64_t attempt = 0; attempt < ring->slot_count; attempt++) {
        *number = __atomic_fetch_add(&ring->last_number, 1, __ATOMIC_RELAXED) + 1;
        epitaph_breadcrumb_slot *slot = &ring->slots[(*number - 1) % ring->slot_count];
        uint64_t present = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED);
        bool is_being_written = present % 2 != 0;
        // Others wrapped around since: theirs are newer.
        bool is_newer = present / 2 > *number;
        if (is_being_written || is_newer) continue;
        if (__atomic_compare_exchange_n(&slot->sequence, &present, *number * 2 + 1, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            // A reader that sees any byte written below must also see the odd sequence.
            __atomic_thread_fence(__ATOMIC_RELEASE);
            return slot;
        }
    }
    return NULL;
}

uint64_t epitaph_breadcrumb_ring_put(epitaph_breadcrumb_ring *ring,
                                     const epitaph_new_breadcrumb *new) {
    size_t category_bytes =
        epitaph_text_fitting(new->category, new->category_bytes, EPITAPH_BREADCRUMB_CATEGORY_SIZE);
    size_t message_bytes =
        epitaph_text_fitting(new->message, new->message_bytes, EPITAPH_BREADCRUMB_MESSAGE_SIZE);
    bool attributes_fit = new->attribute_bytes <= EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE;
    size_t attribute_bytes = attributes_fit ? new->attribute_bytes : 0;
    uint64_t number;
    epitaph_breadcrumb_slot *slot = claim(ring, &number);
    if (slot == NULL) {
        __atomic_fetch_add(&ring->dropped_count, 1, __ATOMIC_RELAXED);
        return 0;
    }
    epitaph_breadcrumb *breadcrumb = &slot->breadcrumb;
    breadcrumb->time_ns = new->time_ns;
    breadcrumb->monotonic_ns = new->monotonic_ns;
    breadcrumb->level = new->level;
    breadcrumb->category_bytes = (uint8_t)category_bytes;
    breadcrumb->message_bytes = (uint16_t)message_bytes;
    breadcrumb->is_cut = category_bytes < new->category_bytes ||
                         message_bytes < new->message_bytes || new->has_cut_attributes;
    breadcrumb->attribute_bytes = (uint16_t)attribute_bytes;
    breadcrumb->process_number = new->process_number;
    epitaph_bytes_copy(breadcrumb->category, new->category, category_bytes);
    epitaph_bytes_copy(breadcrumb->message, new->message, message_bytes);
    epitaph_bytes_copy(breadcrumb->attributes, new->attributes, attribute_bytes);
    __atomic_store_n(&slot->sequence, number * 2, __ATOMIC_RELEASE);
    return number;
}

void epitaph_breadcrumb_ring_clear(epitaph_breadcrumb_ring *ring) {
    for (uint64_t place = 0; place < ring->slot_count; place++) {
        epitaph_breadcrumb_slot *slot = &ring->slots[place];
        uint64_t present = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED);
        if (present == 0 || present % 2 != 0) continue;
        // As one who writes: no one else does then.
        if (!__atomic_compare_exchange_n(&slot->sequence, &present, present + 1, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            continue;
        }
        __atomic_thread_fence(__ATOMIC_RELEASE);
        epitaph_bytes_zero(&slot->breadcrumb, sizeof slot->breadcrumb);
        __atomic_store_n(&slot->sequence, 0, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&ring->dropped_count, 0, __ATOMIC_RELAXED);
}

epitaph_breadcrumb_state epitaph_breadcrumb_slot_read(const epitaph_breadcrumb_slot *slot,
                                                      epitaph_breadcrumb *copy, uint64_t *number) {
    for (int attempt = 0; attempt < EPITAPH_BREADCRUMB_READ_ATTEMPTS; attempt++) {
        uint64_t sequence = __atomic_load_n(&slot->sequence, __ATOMIC_ACQUIRE);
        *number = sequence / 2;
        if (sequence == 0) return EPITAPH_BREADCRUMB_NONE;
        if (sequence % 2 != 0) continue;
        epitaph_bytes_copy(copy, &slot->breadcrumb, sizeof *copy);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&slot->sequence, __ATOMIC_RELAXED) != sequence) continue;
        if (copy->category_bytes > EPITAPH_BREADCRUMB_CATEGORY_SIZE) {
            copy->category_bytes = EPITAPH_BREADCRUMB_CATEGORY_SIZE;
        }
        if (copy->message_bytes > EPITAPH_BREADCRUMB_MESSAGE_SIZE) {
            copy->message_bytes = EPITAPH_BREADCRUMB_MESSAGE_SIZE;
        }
        if (copy->attribute_bytes > EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE) {
            copy->attribute_bytes = EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE;
        }
        return EPITAPH_BREADCRUMB_WHOLE;
    }
    return EPITAPH_BREADCRUMB_HALF_WRITTEN;
}
