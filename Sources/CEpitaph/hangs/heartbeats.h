// SPDX-License-Identifier: Apache-2.0
//
// The table of heartbeats. Programs write to it at any time, and the watching thread reads it
// without a lock.

#ifndef EPITAPH_HANGS_HEARTBEATS_H
#define EPITAPH_HANGS_HEARTBEATS_H

#include "epitaph.h"
#include "epitaph_report_request.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_HEARTBEAT_LIMIT = 64 };

/// One slot of the table. Everything that the watching thread reads is read and written atomically.
typedef struct epitaph_heartbeat_place {
    /// Odd while the slot is in use; incremented when it is taken and when it is released.
    uint32_t generation;
    uint32_t is_paused;
    /// Incremented by every beat.
    uint64_t count;
    /// The numbers of the latest question and answer; 0 for a heartbeat that beats by itself.
    uint64_t asked;
    uint64_t answered;
    /// pthread_self(3) of the thread that beat last, and its gettid(2).
    uint64_t thread_pointer;
    int32_t tid;
    /// The program has chosen the thread: `tid` does not change.
    uint32_t has_fixed_thread;
    uint64_t threshold_ns;
    char name[EPITAPH_SUBJECT_NAME_SIZE + 1];
} epitaph_heartbeat_place;

/// What the watching thread sees of a heartbeat at one moment.
typedef struct epitaph_heartbeat_state {
    uint32_t generation;
    uint64_t count;
    bool is_awaited;
    int32_t tid;
    uint64_t threshold_ns;
} epitaph_heartbeat_state;

/// QUIET-TIME. Takes a slot; returns 0 if none is free.
epitaph_heartbeat epitaph_heartbeats_take(const char *name, uint64_t threshold_ns);

/// QUIET-TIME. Releases all slots.
void epitaph_heartbeats_forget(void);

/// ANY-TIME. Reads the slot; returns false if it is not in use.
bool epitaph_heartbeats_look(uint32_t index, epitaph_heartbeat_state *state);

/// ANY-TIME. The name of the heartbeat in the slot. The memory stays valid.
const char *epitaph_heartbeats_name(uint32_t index);

#pragma GCC visibility pop

#endif
