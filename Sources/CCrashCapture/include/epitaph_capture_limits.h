// SPDX-License-Identifier: Apache-2.0
//
// How much a dump may hold and how long it may take; changed while the program runs. Internal to
// the package: programs use epitaph_choices.h.

#ifndef EPITAPH_CAPTURE_LIMITS_H
#define EPITAPH_CAPTURE_LIMITS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// How much a dump may hold and how long it may take. All set by CEpitaph.
typedef struct epitaph_capture_limits {
    uint64_t crashing_stack_bytes;
    uint64_t other_stack_bytes;
    /// All stacks together.
    uint64_t all_stacks_bytes;
    /// Memory besides stacks: of the crashing thread, of each other thread, of all threads
    /// together, and what the program registered.
    uint64_t crashing_memory_bytes;
    uint64_t other_memory_bytes;
    uint64_t all_memory_bytes;
    uint64_t registered_memory_bytes;
    /// Unwind tables of modules whose files are gone, all together.
    uint64_t unwind_tables_bytes;
    /// How long other threads may take to stop.
    uint64_t stop_timeout_ns;
    /// How long a whole capture may take; after that what there is gets sealed.
    uint64_t capture_timeout_ns;
    /// Disk space reserved when a dump file is armed.
    uint64_t reserved_bytes;
    /// Sealed dumps of this bundle that may wait in the directory.
    uint32_t pending_dumps;
} epitaph_capture_limits;

/// Limits changed while the program runs; one of two copies is current.
typedef struct epitaph_limits_box {
    /// How often they were changed; the copy of this number modulo 2 is current. 0: never.
    uint32_t changes;
    epitaph_capture_limits values[2];
} epitaph_limits_box;

/// QUIET-TIME, one caller at a time. Sets the limits of later captures; a running one keeps its
/// own.
void epitaph_limits_publish(const epitaph_capture_limits *limits);

/// ANY-TIME. The limits that were set last. Do not keep the pointer: they may change.
const epitaph_capture_limits *epitaph_limits_latest(void);

#pragma GCC visibility pop

#endif
