// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_HANGS_HANGS_H
#define EPITAPH_HANGS_HANGS_H

#include "epitaph.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_report_request.h"

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Stops the watchdog and all heartbeats. Dumps of ongoing hangs become reports.
void epitaph_hangs_stop(void);

enum { EPITAPH_HANG_DUMPS_LIMIT = 32 };

/// ANY-TIME. The current options, clamped. The memory stays valid when they are replaced.
const epitaph_hang_options *epitaph_hang_options_now(void);

uint64_t epitaph_hang_threshold_ms(uint32_t threshold_ms);

// The heartbeat table: programs write at any time, and the watchdog reads without a lock.

enum { EPITAPH_HEARTBEAT_LIMIT = 64 };

/// One slot. All fields that the watchdog reads are accessed atomically.
typedef struct epitaph_heartbeat_place {
    /// Odd while in use; incremented on allocation and release.
    uint32_t generation;
    uint32_t is_paused;
    uint64_t count;
    /// Latest ping and answer; 0 for a heartbeat that beats by itself.
    uint64_t asked;
    uint64_t answered;
    uint64_t thread_pointer;
    int32_t tid;
    /// Set by the program: `tid` is fixed.
    uint32_t has_fixed_thread;
    uint64_t threshold_ns;
    char name[EPITAPH_SUBJECT_NAME_SIZE + 1];
} epitaph_heartbeat_place;

typedef struct epitaph_heartbeat_state {
    uint32_t generation;
    uint64_t count;
    bool is_awaited;
    int32_t tid;
    uint64_t threshold_ns;
} epitaph_heartbeat_state;

epitaph_heartbeat epitaph_heartbeats_take(const char *name, uint64_t threshold_ns);

void epitaph_heartbeats_forget(void);

/// ANY-TIME. Returns false if the slot is not in use.
bool epitaph_heartbeats_look(uint32_t index, epitaph_heartbeat_state *state);

/// ANY-TIME. The memory stays valid.
const char *epitaph_heartbeats_name(uint32_t index);

// The dump of one hang. QUIET-TIME.

/// While open, its file is locked: a sweep makes it a report only once the owner is dead.
typedef struct epitaph_hang_dump {
    bool is_open;
    epitaph_dump_file file;
} epitaph_hang_dump;

/// Captures all threads. `tid` is the stuck thread, 0 if unknown. Returns 0 or a negative errno.
long epitaph_hang_dump_take(epitaph_hang_dump *dump, const char *name, int32_t tid,
                            uint64_t silent_ns);
/// Makes it a report. `is_over` means that the hang recovered.
void epitaph_hang_dump_keep(epitaph_hang_dump *dump, bool is_over, uint64_t silent_ns);
void epitaph_hang_dump_discard(epitaph_hang_dump *dump);

#pragma GCC visibility pop

#endif
