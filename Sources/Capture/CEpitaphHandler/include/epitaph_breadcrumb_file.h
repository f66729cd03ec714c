// SPDX-License-Identifier: Apache-2.0
//
// The breadcrumb file: a ring of breadcrumbs in a mapped file, which outlives the process whatever
// ends it, and the machine's loss of power as far as the kernel had written it out.
// docs/breadcrumb-file.md describes its bytes. Internal to the package: programs use
// epitaph_breadcrumbs.h.

#ifndef EPITAPH_BREADCRUMB_FILE_H
#define EPITAPH_BREADCRUMB_FILE_H

#include "epitaph_breadcrumb_ring.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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
