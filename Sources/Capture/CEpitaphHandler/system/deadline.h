// SPDX-License-Identifier: Apache-2.0
//
// The end of a wait, even without a clock: a filter may refuse clock_gettime(2), and a loop that
// waits for a time that never comes would not end. Then every pause counts as long as it was meant
// to be. ANY-TIME.

#ifndef EPITAPH_SYSTEM_DEADLINE_H
#define EPITAPH_SYSTEM_DEADLINE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct epitaph_deadline {
    /// CLOCK_MONOTONIC; 0 if there is no clock.
    uint64_t end_ns;
    /// The rest of the wait if there is no clock.
    uint64_t left_ns;
} epitaph_deadline;

/// Nanoseconds, in which everything here counts.
static inline uint64_t epitaph_milliseconds(uint64_t count) {
    return count * 1000000;
}

epitaph_deadline epitaph_deadline_after(uint64_t timeout_ns);

/// How much time is left, at most; 0 when it is over.
uint64_t epitaph_deadline_left(const epitaph_deadline *deadline);

/// Waits on a futex(2) word while it has `value`, at most `pause_ns` and until the deadline.
/// Returns what the kernel returns.
long epitaph_deadline_wait(epitaph_deadline *deadline, const uint32_t *word, uint32_t value,
                           uint64_t pause_ns);

/// The same without a word to wait for.
void epitaph_deadline_pause(epitaph_deadline *deadline, uint64_t pause_ns);

#pragma GCC visibility pop

#endif
