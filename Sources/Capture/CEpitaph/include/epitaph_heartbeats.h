// SPDX-License-Identifier: Apache-2.0
//
// Hang detection: work sends heartbeats, and a watchdog thread notices when they stop.
//
//     epitaph_heartbeat loop = epitaph_heartbeat_register("main loop", 2000, NULL);
//     for (;;) {
//         epitaph_heartbeat_pause(loop);
//         wait_for_events();
//         epitaph_heartbeat_resume(loop);
//         handle_events();
//     }
//
// A hang is captured into a dump with all threads. If the process dies or keeps hanging, the dump
// becomes a report; if the heartbeat resumes it is discarded, or kept by option. docs/hangs.md.
// Comes with epitaph.h.

#ifndef EPITAPH_HEARTBEATS_H
#define EPITAPH_HEARTBEATS_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// A watched activity. Never reused in a process; all functions accept and ignore 0.
typedef uint64_t epitaph_heartbeat;

typedef enum epitaph_hang_event_kind {
    /// Silent for its threshold. A dump was taken unless `has_dump` is 0.
    EPITAPH_HANG_EVENT_BEGAN = 1,
    /// Silent for `report_after_ms`: the dump is now a report.
    EPITAPH_HANG_EVENT_REPORTED = 2,
    /// Resumed, paused or unregistered.
    EPITAPH_HANG_EVENT_ENDED = 3,
} epitaph_hang_event_kind;

typedef struct epitaph_hang_event {
    epitaph_hang_event_kind kind;
    /// Name of the heartbeat; valid during the call.
    const char *name;
    /// The stuck thread, gettid(2); 0 if unknown.
    int32_t thread;
    /// Time since the last beat, milliseconds.
    uint64_t silent_ms;
    /// Nonzero if there is a dump: not beyond the limit, under a debugger, on errors, or discarded.
    int has_dump;
} epitaph_hang_event;

/// Initialise with EPITAPH_HANG_OPTIONS_DEFAULT. Out-of-range values are clamped.
typedef struct epitaph_hang_options {
    /// sizeof(epitaph_hang_options).
    uint32_t size_bytes;
    /// Interval between checks, milliseconds, 50 to 60,000; 0 for 500.
    uint32_t poll_ms;
    /// How long a hang lasts before its dump becomes a report while the process lives,
    /// milliseconds, at least the threshold; 0 for 30,000.
    uint32_t report_after_ms;
    /// Limit of dumps per hour, at most 32; 0 for 6. `on_event` is called anyway.
    uint32_t dumps_per_hour;
    /// Nonzero to keep the dump of a hang that recovers, as a report that says so.
    int keeps_recovered;
    /// Called on the watchdog thread, which watches nothing meanwhile; NULL for none.
    void (*on_event)(const epitaph_hang_event *event, void *context);
    void *context;
} epitaph_hang_options;

#ifdef __cplusplus
#define EPITAPH_HANG_OPTIONS_DEFAULT epitaph_hang_options_default()
static inline epitaph_hang_options epitaph_hang_options_default(void) {
    epitaph_hang_options options = epitaph_hang_options();
    options.size_bytes = sizeof options;
    return options;
}
#else
#define EPITAPH_HANG_OPTIONS_DEFAULT \
    { .size_bytes = sizeof(epitaph_hang_options) }
#endif

/// QUIET-TIME. Changes the options from the next check on. Returns EPITAPH_OK,
/// EPITAPH_INVALID_OPTION for NULL or an unknown size, or EPITAPH_SYSTEM_ERROR without memory.
epitaph_status epitaph_hang_options_set(const epitaph_hang_options *options);

/// QUIET-TIME. Starts watching `name` (at most 64 bytes are kept): it hangs if it neither beats nor
/// pauses for `threshold_ms`, 100 to 3,600,000; 0 for 2,000. The first call starts the watchdog
/// thread, which blocks process-directed signals. A forked child does not inherit watches.
///
/// `error` may be NULL. Returns 0 if not started, without a name, with 64 heartbeats in use, or if
/// the thread cannot be created.
epitaph_heartbeat epitaph_heartbeat_register(const char *name, uint32_t threshold_ms,
                                             epitaph_error *error);

/// ANY-TIME. Reports progress by the calling thread. A few loads and stores; one system call if the
/// previous beat came from another thread.
void epitaph_heartbeat_beat(epitaph_heartbeat heartbeat);
/// ANY-TIME. Reports that there is nothing to do: silence is no hang until the next resume.
void epitaph_heartbeat_pause(epitaph_heartbeat heartbeat);
/// ANY-TIME. Reports that there is work again; counts as a beat.
void epitaph_heartbeat_resume(epitaph_heartbeat heartbeat);

/// ANY-TIME. For a queue that is pinged: from now on the answer to this number, from 1 upwards, is
/// expected. A pinged heartbeat needs no beats; silence between answer and next ping is no hang.
void epitaph_heartbeat_ask(epitaph_heartbeat heartbeat, uint64_t number);
/// ANY-TIME. The answer; may come before epitaph_heartbeat_ask returns. If the main thread answers,
/// it is the stuck thread when answers stop; otherwise the stuck thread is unknown.
void epitaph_heartbeat_answer(epitaph_heartbeat heartbeat, uint64_t number);

/// ANY-TIME. Sets the thread, gettid(2), that reports about this heartbeat name, for a queue with a
/// thread of its own such as the main queue. 0 for none.
void epitaph_heartbeat_set_thread(epitaph_heartbeat heartbeat, int32_t thread);

/// QUIET-TIME. Stops watching; ends a current hang.
void epitaph_heartbeat_unregister(epitaph_heartbeat heartbeat);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
