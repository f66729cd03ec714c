// SPDX-License-Identifier: Apache-2.0
//
// Dumps of a process that lives on: what one holds and says of itself, and when something counts as
// hung. Internal to the package: programs use epitaph_live_dumps.h.

#ifndef EPITAPH_REPORT_REQUEST_H
#define EPITAPH_REPORT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_SUBJECT_NAME_SIZE = 64,
    EPITAPH_REQUEST_SOURCE_SIZE = 32,
    EPITAPH_REQUEST_MESSAGE_SIZE = 4096,
};

/// The texts are the caller's, and NULL for none.
typedef struct epitaph_report_request {
    /// An `epitaph_dump_report_kind`.
    uint8_t kind;
    /// Whether the subject alone is captured.
    bool has_one_thread;
    /// Whether a sweep throws the dump away unless the process was killed for lack of memory.
    bool is_provisional;
    /// The thread that the report is about; 0 for none.
    int32_t subject_tid;
    uint64_t duration_ns;
    const char *subject_name;
    const char *message_source;
    const char *message;
} epitaph_report_request;

// When something counts as hung. The rule alone: it asks no clock and no kernel, so that tests can
// play any course of events.

/// What happened to a heartbeat between two looks at it.
typedef enum epitaph_hang_change {
    EPITAPH_HANG_NONE,
    /// It has not beaten for the threshold: it is hung from now on.
    EPITAPH_HANG_BEGAN,
    /// It beats again, or is not awaited any more.
    EPITAPH_HANG_ENDED,
} epitaph_hang_change;

/// What we remember about one heartbeat; all zeros before the first look.
typedef struct epitaph_hang_rule {
    uint64_t last_count;
    /// How long we heard nothing, as far as we can tell; for a hang that has just ended, how
    /// long it was.
    uint64_t silent_ns;
    bool is_known;
    bool is_hung;
    bool has_ended;
} epitaph_hang_rule;

/// ANY-TIME. How much of the time since the last look counts: none of it when the watching thread
/// woke much later than it wanted to, or when the machine was suspended meanwhile. Who was not
/// running cannot say that others had the chance to: the process may have been stopped (SIGSTOP),
/// be in a debugger, or the machine overloaded.
///
/// `awake_ns` is the time that passed by a clock that stands still while the machine is suspended,
/// `real_ns` by one that goes on, `wanted_ns` how long the thread meant to sleep.
uint64_t epitaph_hang_time_that_counts(uint64_t awake_ns, uint64_t real_ns, uint64_t wanted_ns);

/// ANY-TIME. One look. `count` changes with every beat; `counted_ns` is what
/// `epitaph_hang_time_that_counts` returned.
epitaph_hang_change epitaph_hang_rule_look(epitaph_hang_rule *rule, uint64_t count, bool is_awaited,
                                           uint64_t counted_ns, uint64_t threshold_ns);

#pragma GCC visibility pop

#endif
