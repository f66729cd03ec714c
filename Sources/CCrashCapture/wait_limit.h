// SPDX-License-Identifier: Apache-2.0
//
// The end of a wait that is made of many short ones: a time, and where no clock can be read (a
// seccomp filter may refuse it) a count. CRASH-TIME.

#ifndef EPITAPH_WAIT_LIMIT_H
#define EPITAPH_WAIT_LIMIT_H

#include "sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

typedef struct epitaph_wait_limit {
    /// CLOCK_MONOTONIC.
    uint64_t deadline_ns;
    uint64_t tries_left;
} epitaph_wait_limit;

/// A limit of `timeout_ns` from now for waits of `pause_ns` each.
static inline epitaph_wait_limit epitaph_wait_limit_make(uint64_t timeout_ns, uint64_t pause_ns) {
    epitaph_wait_limit limit;
    limit.deadline_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC) + timeout_ns;
    limit.tries_left = timeout_ns / pause_ns;
    return limit;
}

/// To be asked before each of the short waits.
static inline bool epitaph_wait_limit_is_over(epitaph_wait_limit *limit) {
    uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    if (now != 0) return now >= limit->deadline_ns;
    if (limit->tries_left == 0) return true;
    limit->tries_left--;
    return false;
}

#pragma GCC visibility pop

#endif
