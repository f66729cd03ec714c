// SPDX-License-Identifier: Apache-2.0
//
// Breadcrumb storage: a ring in memory, and a file that outlives the process. Internal to the
// package: programs use epitaph_breadcrumbs.h.

#ifndef EPITAPH_BREADCRUMB_STORAGE_H
#define EPITAPH_BREADCRUMB_STORAGE_H

#include "epitaph_option_table.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

// The ring. Any thread adds to it without a lock; the newest breadcrumb overwrites the oldest.

enum {
    EPITAPH_BREADCRUMB_CATEGORY_SIZE = 32,
    EPITAPH_BREADCRUMB_MESSAGE_SIZE = 256,
    /// For the kind and the attribute records together.
    EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE = 248,
    /// Retries of a slot being written: a running writer needs 100 ns, a stopped one never ends.
    EPITAPH_BREADCRUMB_READ_ATTEMPTS = 1000,
};

/// As stored in the ring. The texts have no NUL.
typedef struct epitaph_breadcrumb {
    /// CLOCK_REALTIME and CLOCK_MONOTONIC, nanoseconds.
    uint64_t time_ns;
    uint64_t monotonic_ns;
    uint16_t message_bytes;
    uint8_t category_bytes;
    uint8_t level;
    /// Nonzero: category or message were cut, or attributes were left out.
    uint16_t is_cut;
    uint16_t attribute_bytes;
    /// In a scope's ring: the breadcrumb's number in the process ring; 0 if it is not there.
    uint64_t process_number;
    char category[EPITAPH_BREADCRUMB_CATEGORY_SIZE];
    char message[EPITAPH_BREADCRUMB_MESSAGE_SIZE];
    uint8_t attributes[EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE];
} epitaph_breadcrumb;

typedef struct epitaph_breadcrumb_slot {
    /// Twice the breadcrumb's number, counted from 1; plus one while it is being written. 0: empty.
    /// A copy is whole if a reader finds the same even value before and after it.
    uint64_t sequence;
    epitaph_breadcrumb breadcrumb;
} epitaph_breadcrumb_slot;

/// In memory of `epitaph_breadcrumb_ring_size` bytes, zeroed except for the count of slots.
typedef struct epitaph_breadcrumb_ring {
    uint64_t slot_count;
    /// The last number given out. Some numbers have no breadcrumb.
    uint64_t last_number;
    /// Breadcrumbs dropped while all slots were being written.
    uint64_t dropped_count;
    uint64_t unused[5];
    epitaph_breadcrumb_slot slots[];
} epitaph_breadcrumb_ring;

typedef struct epitaph_new_breadcrumb {
    uint64_t time_ns;
    uint64_t monotonic_ns;
    uint8_t level;
    const char *category;
    size_t category_bytes;
    const char *message;
    size_t message_bytes;
    /// Attribute records, which all fit. `has_cut_attributes`: others did not.
    const uint8_t *attributes;
    size_t attribute_bytes;
    bool has_cut_attributes;
    uint64_t process_number;
} epitaph_new_breadcrumb;

static inline size_t epitaph_breadcrumb_ring_size(size_t slot_count) {
    return sizeof(epitaph_breadcrumb_ring) + slot_count * sizeof(epitaph_breadcrumb_slot);
}

/// ANY-TIME. Replaces the oldest breadcrumb. Cuts long texts at a UTF-8 character boundary. Returns
/// the breadcrumb's number, 0 if it was dropped.
uint64_t epitaph_breadcrumb_ring_put(epitaph_breadcrumb_ring *ring,
                                     const epitaph_new_breadcrumb *breadcrumb);

/// ANY-TIME. Empties all slots but those that others are writing.
void epitaph_breadcrumb_ring_clear(epitaph_breadcrumb_ring *ring);

typedef enum epitaph_breadcrumb_state {
    EPITAPH_BREADCRUMB_NONE,
    EPITAPH_BREADCRUMB_WHOLE,
    /// Its writer was stopped in the middle, or took too long.
    EPITAPH_BREADCRUMB_HALF_WRITTEN,
} epitaph_breadcrumb_state;

/// ANY-TIME. Copies a slot and its number atomically. The copy is valid only for
/// EPITAPH_BREADCRUMB_WHOLE; its counts are then within the bounds of its texts.
epitaph_breadcrumb_state epitaph_breadcrumb_slot_read(const epitaph_breadcrumb_slot *slot,
                                                      epitaph_breadcrumb *copy, uint64_t *number);

// The breadcrumb file: a ring in a mapped file, docs/breadcrumb-file.md. It survives any end of the
// process, and a power loss as far as the kernel has written it out.

enum {
    EPITAPH_BREADCRUMB_FILE_VERSION = 1,
    EPITAPH_BREADCRUMB_FILE_HEADER_BYTES = 256,
    EPITAPH_BREADCRUMB_FILE_GRAIN_BYTES = 64,
    EPITAPH_BREADCRUMB_FILE_MESSAGE_SIZE = 4000,
};

typedef struct epitaph_breadcrumb_file_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t data_bytes;
    /// Identifies the process, as in its launch record.
    int32_t pid;
    uint32_t unused;
    uint64_t start_ticks;
    uint8_t boot_id[16];
    uint64_t pid_namespace;
    uint64_t launch_time_ns;
    uint64_t launch_monotonic_ns;
    /// Of all bytes before it.
    uint64_t checksum;
    uint8_t unused_too[40];
    /// Bytes ever given out to entries. From here on, fields change atomically.
    uint64_t next;
    /// Breadcrumbs that came too late for their place.
    uint64_t dropped_count;
    uint8_t rest[112];
} epitaph_breadcrumb_file_header;

/// Category and message follow.
typedef struct epitaph_breadcrumb_entry {
    /// Of all bytes after it, texts included.
    uint64_t checksum;
    /// `next` when the entry's place was given out. The place is this modulo `data_bytes`.
    uint64_t position;
    uint64_t time_ns;
    uint64_t monotonic_ns;
    uint16_t message_bytes;
    uint8_t category_bytes;
    uint8_t level;
    uint8_t is_cut;
    uint8_t unused[3];
} epitaph_breadcrumb_entry;

/// The mapping in this process. Only `next` of the file's contents is ever used.
typedef struct epitaph_breadcrumb_file {
    uint8_t *memory;
    uint64_t mapped_bytes;
    uint64_t data_bytes;
    uint8_t uuid[16];
    /// Nonzero: ordinary memory replaces a truncated file. Changed and read atomically.
    uint32_t is_lost;
} epitaph_breadcrumb_file;

/// ANY-TIME. Extends a checksum by `count` bytes, and the value to start with.
uint64_t epitaph_breadcrumb_checksum(uint64_t sum, const void *bytes, size_t count);
uint64_t epitaph_breadcrumb_checksum_seed(void);

/// ANY-TIME. Whether this process has a breadcrumb file, and its id. False in a forked child.
bool epitaph_breadcrumb_file_is_there(uint8_t uuid[16]);

/// ANY-TIME. Whether another process truncated the file. Nothing is stored any more.
bool epitaph_breadcrumb_file_is_lost(void);

/// ANY-TIME. Adds a breadcrumb to the file, if there is one. Never waits for another thread.
void epitaph_breadcrumb_file_put(const epitaph_new_breadcrumb *breadcrumb);

/// ANY-TIME. Empties the file, if there is one; breadcrumbs that others add meanwhile may be lost.
void epitaph_breadcrumb_file_clear(void);

/// CRASH-TIME. Whether the signal is a fault on a store into the breadcrumb file, which another
/// process truncated. If so, ordinary memory now replaces the file and the store can be retried.
bool epitaph_breadcrumb_file_mend(int signal, const siginfo_t *info);

#pragma GCC visibility pop

#endif
