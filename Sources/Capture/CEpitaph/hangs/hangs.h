// SPDX-License-Identifier: Apache-2.0
//
// Heartbeats, the thread that watches them, and the dump of a hang.

#ifndef EPITAPH_HANGS_HANGS_H
#define EPITAPH_HANGS_HANGS_H

#include "epitaph.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_report_request.h"

#pragma GCC visibility push(hidden)

// The thread that watches heartbeats. QUIET-TIME.

/// Ends the watching thread. Dumps of ongoing hangs become reports, and all heartbeats end. Does
/// nothing if nothing is watched.
void epitaph_hangs_stop(void);

// How hangs are detected, as chosen by the program.

enum { EPITAPH_HANG_DUMPS_LIMIT = 32 };

/// ANY-TIME. The options in force, within their ranges. The memory stays valid after they are
/// replaced.
const epitaph_hang_options *epitaph_hang_options_now(void);

/// A threshold brought into its range, in milliseconds.
uint64_t epitaph_hang_threshold_ms(uint32_t threshold_ms);

// The table of heartbeats. Programs write to it at any time, and the watching thread reads it
// without a lock.

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

// The dump of one hang, from its capture until it becomes a report or is discarded. QUIET-TIME.

/// While it is open its file is locked: a sweep sees that the owner is alive, and makes a report of
/// the file once the owner is dead.
typedef struct epitaph_hang_dump {
    bool is_open;
    epitaph_dump_file file;
} epitaph_hang_dump;

/// Captures all threads into `dump`. `tid` is the stuck thread, or 0 if it is not known. Returns 0
/// or a negative errno.
long epitaph_hang_dump_take(epitaph_hang_dump *dump, const char *name, int32_t tid,
                            uint64_t silent_ns);
/// Makes it a report. `is_over` says that the hang ended by itself.
void epitaph_hang_dump_keep(epitaph_hang_dump *dump, bool is_over, uint64_t silent_ns);
/// Discards it.
void epitaph_hang_dump_discard(epitaph_hang_dump *dump);

#pragma GCC visibility pop

#endif
