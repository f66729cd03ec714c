// SPDX-License-Identifier: Apache-2.0
//
// The table of heartbeats. Programs write to it at any time; the watching thread reads it without a
// lock.

#ifndef EPITAPH_HANGS_HEARTBEATS_H
#define EPITAPH_HANGS_HEARTBEATS_H

#include "epitaph.h"
#include "epitaph_report_request.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_HEARTBEAT_LIMIT = 64 };

/// One place of the table. What the watching thread reads is read and written atomically.
typedef struct epitaph_heartbeat_place {
    /// Odd while the place is in use; grows with every registration and its end.
    uint32_t generation;
    uint32_t is_paused;
    /// Changes with every beat.
    uint64_t count;
    /// The numbers of the latest question and answer; 0 for a heartbeat that beats.
    uint64_t asked;
    uint64_t answered;
    /// pthread_self(3) of the thread that beat last, and its gettid(2).
    uint64_t thread_pointer;
    int32_t tid;
    /// Set by the program: `tid` stays as it is.
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

/// QUIET-TIME. Takes a place; 0 when none is free.
epitaph_heartbeat epitaph_heartbeats_take(const char *name, uint64_t threshold_ns);

/// QUIET-TIME. Gives all places back, whosoever took them.
void epitaph_heartbeats_forget(void);

/// ANY-TIME. What is to be seen at a place; false when it is not in use.
bool epitaph_heartbeats_look(uint32_t index, epitaph_heartbeat_state *state);

/// ANY-TIME. The name of the heartbeat at a place: the memory stays, whatever becomes of it.
const char *epitaph_heartbeats_name(uint32_t index);

#pragma GCC visibility pop

#endif
