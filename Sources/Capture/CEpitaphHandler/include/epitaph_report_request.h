// SPDX-License-Identifier: Apache-2.0
//
// Dumps of a running process: what to capture, and when something counts as hung. Internal to the
// package: programs use epitaph_live_dumps.h.

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

/// The caller owns the texts; NULL: none.
typedef struct epitaph_report_request {
    /// An `epitaph_dump_report_kind`.
    uint8_t kind;
    bool has_one_thread;
    /// A sweep discards the dump unless the process was killed for lack of memory.
    bool is_provisional;
    int32_t subject_tid;
    uint64_t duration_ns;
    const char *subject_name;
    const char *message_source;
    const char *message;
} epitaph_report_request;

// The hang rule, without clock or system call, so that tests can simulate any sequence.

typedef enum epitaph_hang_change {
    EPITAPH_HANG_NONE,
    /// No beat for the threshold: hung from now on.
    EPITAPH_HANG_BEGAN,
    /// It beats again, or nobody expects it to.
    EPITAPH_HANG_ENDED,
} epitaph_hang_change;

typedef struct epitaph_hang_rule {
    uint64_t last_count;
    /// Observed silence; for a hang that has just ended, its duration.
    uint64_t silent_ns;
    bool is_known;
    bool is_hung;
    bool has_ended;
} epitaph_hang_rule;

/// ANY-TIME. How much of the time since the last check counts: none if the watching thread woke
/// much later than planned, or if the machine was suspended. A watcher that did not run cannot say
/// that others could: SIGSTOP, a debugger, an overloaded machine.
///
/// `awake_ns` is of a clock that stands still during suspend, `real_ns` of one that goes on;
/// `wanted_ns` is the planned sleep.
uint64_t epitaph_hang_time_that_counts(uint64_t awake_ns, uint64_t real_ns, uint64_t wanted_ns);

/// ANY-TIME. One check. `count` changes with every beat; `counted_ns` is time that counts.
epitaph_hang_change epitaph_hang_rule_look(epitaph_hang_rule *rule, uint64_t count, bool is_awaited,
                                           uint64_t counted_ns, uint64_t threshold_ns);

#pragma GCC visibility pop

#endif
