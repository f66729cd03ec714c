// SPDX-License-Identifier: Apache-2.0
//
// Clocks in nanoseconds. They need a system call on few machines only: vdso(7). ANY-TIME.

#ifndef EPITAPH_BASE_CLOCK_H
#define EPITAPH_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/// 0 for a clock that cannot be read.
static inline uint64_t epitaph_clock_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
