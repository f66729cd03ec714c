// SPDX-License-Identifier: Apache-2.0
//
// Hangs: work that says regularly that it goes on, and a thread that notices when it does not.
//
//     epitaph_heartbeat loop = epitaph_heartbeat_register("main loop", 2000, NULL);
//     for (;;) {
//         epitaph_heartbeat_pause(loop);
//         wait_for_events();
//         epitaph_heartbeat_resume(loop);
//         handle_events();
//     }
//
// When the heartbeat stops, the process is captured into a dump with all of its threads. If the
// process dies, or goes on hanging, that dump becomes a report; if the heartbeat comes back it is
// thrown away, or kept by choice. docs/hangs.md. Comes with epitaph.h.

#ifndef EPITAPH_HEARTBEATS_H
#define EPITAPH_HEARTBEATS_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// What is watched, by a number that is never given out again in this process; 0 for nothing, which
/// all functions here accept and ignore.
typedef uint64_t epitaph_heartbeat;

/// What became of something that hangs.
typedef enum epitaph_hang_event_kind {
    /// It has been silent for its threshold, and a dump was taken unless `has_dump` is 0.
    EPITAPH_HANG_EVENT_BEGAN = 1,
    /// It has been silent for `report_after_ms`: the dump is a report now.
    EPITAPH_HANG_EVENT_REPORTED = 2,
    /// It goes on, or was paused or unregistered.
    EPITAPH_HANG_EVENT_ENDED = 3,
} epitaph_hang_event_kind;

/// What a program is told of a hang.
typedef struct epitaph_hang_event {
    /// What happened.
    epitaph_hang_event_kind kind;
    /// The name of the heartbeat; valid during the call.
    const char *name;
    /// The thread that is stuck, gettid(2); 0 where it is not known.
    int32_t thread;
    /// How long nothing was heard, milliseconds.
    uint64_t silent_ms;
    /// Nonzero when there is a dump of it: not beyond the limit of dumps an hour, not under a
    /// debugger, not when it could not be written, nor once it was thrown away.
    int has_dump;
} epitaph_hang_event;

/// How hangs are looked for. Initialise it with EPITAPH_HANG_OPTIONS_DEFAULT. Values outside of
/// their range become the nearest one inside.
typedef struct epitaph_hang_options {
    /// sizeof(epitaph_hang_options).
    uint32_t size_bytes;
    /// How often heartbeats are looked at, milliseconds, 50 to 60,000; 0 for 500.
    uint32_t poll_ms;
    /// How long a hang may last before its dump is a report although the process lives on,
    /// milliseconds, at least the threshold; 0 for 30,000.
    uint32_t report_after_ms;
    /// How many hangs of this process are captured within an hour, at most 32; 0 for 6. The others
    /// are still told to `on_event`.
    uint32_t dumps_per_hour;
    /// Nonzero to keep the dump of a hang that ends by itself, as a report that says so.
    int keeps_recovered;
    /// Called on the watching thread; NULL for none. It must return soon: nothing is watched
    /// meanwhile.
    void (*on_event)(const epitaph_hang_event *event, void *context);
    /// Handed to `on_event`.
    void *context;
} epitaph_hang_options;

/// Initialises epitaph_hang_options with all defaults.
#ifdef __cplusplus
#define EPITAPH_HANG_OPTIONS_DEFAULT epitaph_hang_options_default()
/// As epitaph_options_default.
static inline epitaph_hang_options epitaph_hang_options_default(void) {
    epitaph_hang_options options = epitaph_hang_options();
    options.size_bytes = sizeof options;
    return options;
}
#else
#define EPITAPH_HANG_OPTIONS_DEFAULT \
    { .size_bytes = sizeof(epitaph_hang_options) }
#endif

/// QUIET-TIME. Changes how hangs are looked for, from the next look on. Returns EPITAPH_OK, or
/// EPITAPH_INVALID_OPTION for NULL or another size.
epitaph_status epitaph_hang_options_set(const epitaph_hang_options *options);

/// QUIET-TIME. Begins to watch something called `name`, of which at most 64 bytes are kept: it
/// hangs when it neither beats nor pauses for `threshold_ms`, 100 to 3,600,000; 0 for 2,000. The
/// first call starts the watching thread, which blocks the signals that are sent to a process.
/// Epitaph must be started. A forked child watches nothing that its parent registered.
///
/// `error` may be NULL. Returns 0 when it cannot be watched: not started, no name, 64 heartbeats
/// there already, or no thread.
epitaph_heartbeat epitaph_heartbeat_register(const char *name, uint32_t threshold_ms,
                                             epitaph_error *error);

/// ANY-TIME. Says that the work goes on, and that the calling thread does it. A few loads and
/// stores; one system call when another thread did it the last time.
void epitaph_heartbeat_beat(epitaph_heartbeat heartbeat);
/// ANY-TIME. Says that there is nothing to do: silence is no hang until the next resume.
void epitaph_heartbeat_pause(epitaph_heartbeat heartbeat);
/// ANY-TIME. Says that there is work again; counts as a beat.
void epitaph_heartbeat_resume(epitaph_heartbeat heartbeat);

/// ANY-TIME. For a queue that is asked now and then whether it still works: from now on the answer
/// of this number is awaited. Numbers grow from 1. A heartbeat that is asked awaits nothing else:
/// it needs no beats, and between an answer and the next question silence is no hang.
void epitaph_heartbeat_ask(epitaph_heartbeat heartbeat, uint64_t number);
/// ANY-TIME. The answer; may come before the call of epitaph_heartbeat_ask has returned. If the
/// first thread of the process gives it, that is the one that is stuck when no answer comes any
/// more; of others it is not known which thread would have answered.
void epitaph_heartbeat_answer(epitaph_heartbeat heartbeat, uint64_t number);

/// ANY-TIME. Says which thread, gettid(2), a report about this heartbeat is about: for a queue that
/// has a thread of its own, such as the main queue. 0 for none.
void epitaph_heartbeat_set_thread(epitaph_heartbeat heartbeat, int32_t thread);

/// QUIET-TIME. Ends the watch of one heartbeat. A hang of it is over.
void epitaph_heartbeat_unregister(epitaph_heartbeat heartbeat);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
