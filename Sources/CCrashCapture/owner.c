// SPDX-License-Identifier: Apache-2.0

#include "owner.h"

#include "sys.h"

#include <errno.h>
#include <time.h>

static const uint64_t retry_pause_ns = 1000000;
static const uint64_t other_process_timeout_ns = 2ull * 1000000000;

/// Process and thread id of the thread that captures; 0 while none does. Both, because a child made
/// by fork(2) or vfork(2) in the middle of a capture finds its parent's value here.
static uint64_t owner;

/// Nobody changes this word: waiting on it is a pause that needs no other system call.
static const uint32_t pause_word;

static uint64_t self(void) {
    return (uint64_t)(uint32_t)epitaph_sys_getpid() << 32 | (uint32_t)epitaph_sys_gettid();
}

static void pause_briefly(void) {
    epitaph_sys_futex_wait(&pause_word, 0, retry_pause_ns);
}

/// Waits until a capture of another process is over. Parent and child of vfork(2) share the word
/// and all that a capture writes to: the other lets go, or is gone, when its report is there. What
/// fork(2) copied in the middle of a capture never changes, and is not worth a longer wait.
static void outlast(uint64_t present) {
    int32_t pid = (int32_t)(present >> 32);
    uint64_t deadline = epitaph_sys_clock_ns(CLOCK_MONOTONIC) + other_process_timeout_ns;
    while (__atomic_load_n(&owner, __ATOMIC_ACQUIRE) == present &&
           epitaph_sys_tgkill(pid, pid, 0) != -ESRCH &&
           epitaph_sys_clock_ns(CLOCK_MONOTONIC) < deadline) {
        pause_briefly();
    }
}

epitaph_owner_claim_result epitaph_owner_try_claim(void) {
    uint64_t me = self();
    for (;;) {
        uint64_t present = 0;
        if (__atomic_compare_exchange_n(&owner, &present, me, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return EPITAPH_OWNER_IS_NEW;
        }
        if (present == me) return EPITAPH_OWNER_IS_SELF;
        if (present >> 32 == me >> 32) return EPITAPH_OWNER_IS_OTHER;
        outlast(present);
        __atomic_compare_exchange_n(&owner, &present, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }
}

bool epitaph_owner_claim(uint64_t timeout_ns) {
    uint64_t deadline = epitaph_sys_clock_ns(CLOCK_MONOTONIC) + timeout_ns;
    for (;;) {
        epitaph_owner_claim_result result = epitaph_owner_try_claim();
        if (result != EPITAPH_OWNER_IS_OTHER) return result == EPITAPH_OWNER_IS_NEW;
        if (epitaph_sys_clock_ns(CLOCK_MONOTONIC) >= deadline) return false;
        pause_briefly();
    }
}

bool epitaph_owner_is_set(void) {
    return __atomic_load_n(&owner, __ATOMIC_ACQUIRE) != 0;
}

bool epitaph_owner_is_self(void) {
    uint64_t present = __atomic_load_n(&owner, __ATOMIC_ACQUIRE);
    return present != 0 && present == self();
}

void epitaph_owner_release(void) {
    __atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
}
