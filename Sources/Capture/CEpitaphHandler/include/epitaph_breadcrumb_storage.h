// SPDX-License-Identifier: Apache-2.0
//
// What a program did last: in a ring, and in a file that outlives the process. Internal to the
// package: programs use epitaph_breadcrumbs.h.

#ifndef EPITAPH_BREADCRUMB_STORAGE_H
#define EPITAPH_BREADCRUMB_STORAGE_H

#include "epitaph_option_table.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

// What a program did last, recorded by any thread without a lock; the newest overwrites the oldest.

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
    /// Records that all fit; and whether others did not.
    const uint8_t *attributes;
    size_t attribute_bytes;
    bool has_cut_attributes;
    uint64_t process_number;
} epitaph_new_breadcrumb;

static inline size_t epitaph_breadcrumb_ring_size(size_t slot_count) {
    return sizeof(epitaph_breadcrumb_ring) + slot_count * sizeof(epitaph_breadcrumb_slot);
}

/// ANY-TIME. Puts a breadcrumb in place of the oldest. Texts that are too long end before the
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

// The breadcrumb file: a ring of breadcrumbs in a mapped file, which outlives the process whatever
// ends it, and a power loss, as far as the kernel had written it out.
// docs/breadcrumb-file.md describes its bytes.

enum {
    EPITAPH_BREADCRUMB_FILE_VERSION = 1,
    EPITAPH_BREADCRUMB_FILE_HEADER_BYTES = 256,
    /// Entries begin at multiples of it.
    EPITAPH_BREADCRUMB_FILE_GRAIN_BYTES = 64,
    EPITAPH_BREADCRUMB_FILE_MESSAGE_SIZE = 4000,
};

/// The beginning of the file.
typedef struct epitaph_breadcrumb_file_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t data_bytes;
    /// The process, as in its launch record.
    int32_t pid;
    uint32_t unused;
    uint64_t start_ticks;
    uint8_t boot_id[16];
    uint64_t pid_namespace;
    uint64_t launch_time_ns;
    uint64_t launch_monotonic_ns;
    /// Of all that stands before it.
    uint64_t checksum;
    uint8_t unused_too[40];
    /// How many bytes were given out to entries, ever. Changed atomically, as what follows.
    uint64_t next;
    /// Breadcrumbs that came too late for their place.
    uint64_t dropped_count;
    uint8_t rest[112];
} epitaph_breadcrumb_file_header;

/// The beginning of an entry; category and message follow.
typedef struct epitaph_breadcrumb_entry {
    /// Of all that follows, the texts included.
    uint64_t checksum;
    /// `next` when its place was given out: the place is that modulo the size of the data.
    uint64_t position;
    uint64_t time_ns;
    uint64_t monotonic_ns;
    uint16_t message_bytes;
    uint8_t category_bytes;
    uint8_t level;
    uint8_t is_cut;
    uint8_t unused[3];
} epitaph_breadcrumb_entry;

/// Where it is in this process. Nothing that the file says is used but `next`.
typedef struct epitaph_breadcrumb_file {
    uint8_t *memory;
    uint64_t mapped_bytes;
    uint64_t data_bytes;
    uint8_t uuid[16];
    /// Nonzero: ordinary memory is in its place. Changed and read atomically.
    uint32_t is_lost;
} epitaph_breadcrumb_file;

/// ANY-TIME. Continues a checksum with `count` bytes, and what the first one begins with.
uint64_t epitaph_breadcrumb_checksum(uint64_t sum, const void *bytes, size_t count);
uint64_t epitaph_breadcrumb_checksum_seed(void);

/// ANY-TIME. Whether this process has a breadcrumb file, and its id; false in a forked child.
bool epitaph_breadcrumb_file_is_there(uint8_t uuid[16]);

/// ANY-TIME. Whether another process truncated the file: nothing is kept any more.
bool epitaph_breadcrumb_file_is_lost(void);

/// ANY-TIME. Puts a breadcrumb into the file, if there is one. Never waits for another thread.
void epitaph_breadcrumb_file_put(const epitaph_new_breadcrumb *breadcrumb);

/// CRASH-TIME. Whether the signal is the fault of a store into the breadcrumb file, which another
/// process truncated. Then ordinary memory is in its place, and the store may be made again.
bool epitaph_breadcrumb_file_mend(int signal, const siginfo_t *info);

#pragma GCC visibility pop

#endif
