// SPDX-License-Identifier: Apache-2.0
//
// What a program did last, recorded by any thread without a lock; the newest overwrites the oldest.
// Internal to the package: programs use epitaph_breadcrumbs.h.

#ifndef EPITAPH_BREADCRUMB_RING_H
#define EPITAPH_BREADCRUMB_RING_H

#include "epitaph_option_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_BREADCRUMB_CATEGORY_SIZE = 32,
    EPITAPH_BREADCRUMB_MESSAGE_SIZE = 256,
    /// For its kind and its attributes together, with what their records take.
    EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE = 248,
    /// How often a reader retries a slot that is being written. A running writer needs some 100 ns;
    /// one that was stopped in the middle never finishes.
    EPITAPH_BREADCRUMB_READ_ATTEMPTS = 1000,
};

/// A breadcrumb as stored in the ring. The texts have no NUL.
typedef struct epitaph_breadcrumb {
    /// CLOCK_REALTIME and CLOCK_MONOTONIC, nanoseconds.
    uint64_t time_ns;
    uint64_t monotonic_ns;
    uint16_t message_bytes;
    uint8_t category_bytes;
    uint8_t level;
    /// Nonzero: category or message were longer, or attributes had no room.
    uint16_t is_cut;
    uint16_t attribute_bytes;
    /// In the ring of a scope: its number in the ring of the process; 0 where it has none there.
    uint64_t process_number;
    char category[EPITAPH_BREADCRUMB_CATEGORY_SIZE];
    char message[EPITAPH_BREADCRUMB_MESSAGE_SIZE];
    /// Attribute records, epitaph_notes.h
    uint8_t attributes[EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE];
} epitaph_breadcrumb;

/// Nine cache lines of 64 bytes.
typedef struct epitaph_breadcrumb_slot {
    /// Twice the number of the breadcrumb in the slot, counted from 1, and one more while it is
    /// being written; 0 for none yet. A reader that finds the same even value before and after its
    /// copy has a whole one.
    uint64_t sequence;
    epitaph_breadcrumb breadcrumb;
} epitaph_breadcrumb_slot;

/// In memory of `epitaph_breadcrumb_ring_size` bytes, zeroed except for the count of slots.
typedef struct epitaph_breadcrumb_ring {
    uint64_t slot_count;
    /// The last number that was given out. Some numbers have no breadcrumb.
    uint64_t last_number;
    /// Breadcrumbs for which no slot was free: all were being written.
    uint64_t dropped_count;
    uint64_t unused[5];
    epitaph_breadcrumb_slot slots[];
} epitaph_breadcrumb_ring;

/// A breadcrumb to be added. The texts need no NUL and may have any length.
typedef struct epitaph_new_breadcrumb {
    uint64_t time_ns;
    uint64_t monotonic_ns;
    uint8_t level;
    const char *category;
    size_t category_bytes;
    const char *message;
    size_t message_bytes;
    /// Records, of which all fit; and whether others did not.
    const uint8_t *attributes;
    size_t attribute_bytes;
    bool has_cut_attributes;
    uint64_t process_number;
} epitaph_new_breadcrumb;

static inline size_t epitaph_breadcrumb_ring_size(size_t slot_count) {
    return sizeof(epitaph_breadcrumb_ring) + slot_count * sizeof(epitaph_breadcrumb_slot);
}

/// ANY-TIME. Puts a breadcrumb in the place of the oldest. Texts that are too long end before the
/// UTF-8 character that does not fit. Returns its number, 0 when it was dropped.
uint64_t epitaph_breadcrumb_ring_put(epitaph_breadcrumb_ring *ring,
                                     const epitaph_new_breadcrumb *breadcrumb);

typedef enum epitaph_breadcrumb_state {
    EPITAPH_BREADCRUMB_NONE,
    EPITAPH_BREADCRUMB_WHOLE,
    /// Its writer was stopped in the middle, or did not finish in time.
    EPITAPH_BREADCRUMB_HALF_WRITTEN,
} epitaph_breadcrumb_state;

/// ANY-TIME. Copies the contents of a slot at one moment, and its number. The copy is valid only if
/// the result says that it is whole; its counts are within the bounds of its texts.
epitaph_breadcrumb_state epitaph_breadcrumb_slot_read(const epitaph_breadcrumb_slot *slot,
                                                      epitaph_breadcrumb *copy, uint64_t *number);

#pragma GCC visibility pop

#endif
