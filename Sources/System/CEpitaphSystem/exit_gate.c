// SPDX-License-Identifier: Apache-2.0

#include "epitaph_exit_gate.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/// The process in the upper half: a forked child has none of the threads that its parent counted.
/// Below it whether exit has begun, and how many threads are within.
static uint64_t gate;

static const uint64_t closed = 0x80000000, mask_within = 0x7fffffff;

enum { LONGEST_WAIT_MS = 2000 };

static uint64_t own_state(uint64_t state) {
    uint64_t owner = (uint64_t)getpid() << 32;
    return (state & ~(uint64_t)UINT32_MAX) == owner ? state : owner;
}

bool epitaph_exit_gate_enter(void) {
    uint64_t state = __atomic_load_n(&gate, __ATOMIC_RELAXED);
    uint64_t own;
    do {
        own = own_state(state);
        if ((own & closed) != 0) return false;
    } while (!__atomic_compare_exchange_n(&gate, &state, own + 1, false, __ATOMIC_ACQUIRE,
                                          __ATOMIC_RELAXED));
    return true;
}

void epitaph_exit_gate_leave(void) {
    __atomic_fetch_sub(&gate, 1, __ATOMIC_RELEASE);
}

bool epitaph_exit_gate_is_closed(void) {
    return (own_state(__atomic_load_n(&gate, __ATOMIC_RELAXED)) & closed) != 0;
}

/// Without a system call unless somebody is within: a filter of the program may forbid them by now.
void epitaph_exit_gate_close(void) {
    uint64_t state = __atomic_fetch_or(&gate, closed, __ATOMIC_ACQ_REL);
    if ((state & mask_within) == 0 || own_state(state) != state) return;
    // A library that computes, or opens its files, is soon done; one that hangs is not our wait.
    for (int waited_ms = 0; waited_ms < LONGEST_WAIT_MS; waited_ms++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if ((__atomic_load_n(&gate, __ATOMIC_ACQUIRE) & mask_within) == 0) return;
    }
}
