// SPDX-License-Identifier: Apache-2.0
//
// A process that allocates very much samples less than was asked for: the end of each sampled block
// interrupts every processor on which another thread of the process runs.

#include "heap.h"

#include <time.h>

enum {
    /// Where more are sampled than one in so many, all are: that was asked for, whatever it costs.
    DENSE_RATE = 1000,
    /// So much time has to pass for each sampled allocation.
    SAMPLE_NS = 1000000,
    /// How much of it can be saved up, for bursts.
    SAVED_NS = 64 * SAMPLE_NS,
};

uint64_t epitaph_heap_now_ns(void) {
    struct timespec now = {0, 0};
    // The coarse clock reads no counter of the processor, which PR_SET_TSC may forbid.
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool epitaph_heap_can_afford_sample(uint64_t rate) {
    /// Up to when the time that passes is spent.
    static uint64_t spent;
    if (rate < DENSE_RATE) return true;
    uint64_t now = epitaph_heap_now_ns();
    uint64_t saved_since = now > SAVED_NS ? now - SAVED_NS : 0;
    uint64_t before = __atomic_load_n(&spent, __ATOMIC_RELAXED);
    uint64_t after = (before > saved_since ? before : saved_since) + SAMPLE_NS;
    // Where another thread spends at this moment, this one samples later.
    return after <= now && __atomic_compare_exchange_n(&spent, &before, after, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
