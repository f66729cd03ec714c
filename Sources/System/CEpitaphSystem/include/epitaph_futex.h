// SPDX-License-Identifier: Apache-2.0
//
// futex(2), which Swift's module of glibc leaves out: waiting for a word of this process without a
// file descriptor. QUIET-TIME; both preserve errno.
#pragma once

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Sleeps while the word at `word` is `value`, until it is woken, a signal arrives or `nanoseconds`
/// of CLOCK_MONOTONIC have passed. It may also return for no reason: look at the word again.
///
/// - Parameter word: 4 bytes, aligned, that live at least as long as the wait.
void epitaph_futex_wait(const void *word, uint32_t value, int64_t nanoseconds);

/// Wakes one thread of this process that sleeps at the word, if there is one.
void epitaph_futex_wake(const void *word);

#pragma GCC visibility pop
