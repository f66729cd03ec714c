// SPDX-License-Identifier: Apache-2.0

#include "thread_registry.h"

#include "sys.h"
#include "thread_slots.h"

/// Process id in the upper half, thread id in the lower: what a forked child finds of its parent's
/// threads is nothing of its own. Places without a thread hold 0.
static uint64_t registry[EPITAPH_THREAD_LIMIT];
/// One past the last place that was ever taken.
static uint64_t used_count;

static void count_as_used(uint64_t count) {
    uint64_t present = __atomic_load_n(&used_count, __ATOMIC_RELAXED);
    while (present < count && !__atomic_compare_exchange_n(&used_count, &present, count, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
}

uint64_t *epitaph_thread_registry_add(void) {
    uint64_t me = (uint64_t)epitaph_sys_getpid() << 32 | (uint32_t)epitaph_sys_gettid();
    for (uint64_t i = 0; i < EPITAPH_THREAD_LIMIT; i++) {
        uint64_t nobody = 0;
        if (__atomic_load_n(&registry[i], __ATOMIC_RELAXED) != 0) continue;
        if (__atomic_compare_exchange_n(&registry[i], &nobody, me, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            count_as_used(i + 1);
            return &registry[i];
        }
    }
    return NULL;
}

void epitaph_thread_registry_remove(uint64_t *place) {
    __atomic_store_n(place, 0, __ATOMIC_RELEASE);
}

void epitaph_thread_registry_visit(void *capture, void (*visit)(void *capture, int32_t tid)) {
    uint64_t count = __atomic_load_n(&used_count, __ATOMIC_ACQUIRE);
    uint32_t pid = (uint32_t)epitaph_sys_getpid();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t thread = __atomic_load_n(&registry[i], __ATOMIC_ACQUIRE);
        if (thread >> 32 == pid) visit(capture, (int32_t)(uint32_t)thread);
    }
}
