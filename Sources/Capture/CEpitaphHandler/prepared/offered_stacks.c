// SPDX-License-Identifier: Apache-2.0
//
// Finds offers by thread and by stack, and sets stacks of ours.

#include "epitaph_offered_stacks.h"

#include "epitaph_placement.h"
#include "system/sys.h"

#include <signal.h>

EPITAPH_SPARSE epitaph_stack_offers epitaph_stack_offers_now;

epitaph_stack_offer *epitaph_stack_offer_to(int32_t tid) {
    epitaph_stack_offers *offers = &epitaph_stack_offers_now;
    uint32_t count = __atomic_load_n(&offers->count, __ATOMIC_ACQUIRE);
    for (uint32_t i = count; i > 0; i--) {
        if (offers->entries[i - 1].tid == tid) return &offers->entries[i - 1];
    }
    return NULL;
}

static bool is_accepted(const epitaph_stack_offer *offer) {
    return __atomic_load_n(&offer->state, __ATOMIC_ACQUIRE) == EPITAPH_STACK_ACCEPTED;
}

bool epitaph_stack_offer_find(const void *start, uint64_t *program_start, uint64_t *program_bytes) {
    const epitaph_stack_offers *offers = &epitaph_stack_offers_now;
    uint32_t count = __atomic_load_n(&offers->count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        const epitaph_stack_offer *offer = &offers->entries[i];
        if (offer->memory != start || !is_accepted(offer)) continue;
        *program_start = offer->program_start;
        *program_bytes = offer->program_bytes;
        return true;
    }
    return false;
}

bool epitaph_own_alternate_stack_set(void *memory, size_t size) {
    stack_t own;
    epitaph_bytes_zero(&own, sizeof own);
    own.ss_sp = memory;
    own.ss_size = size;
    return epitaph_sys_sigaltstack(&own) == 0;
}

void epitaph_stack_offer_note_stack(uint64_t start, uint64_t bytes) {
    epitaph_stack_offer *offer = epitaph_stack_offer_to(epitaph_sys_gettid());
    if (offer == NULL || epitaph_stack_offers_now.pid != epitaph_sys_getpid() ||
        !is_accepted(offer))
        return;
    offer->program_bytes = 0;
    if (bytes == 0 && epitaph_own_alternate_stack_set(offer->memory, offer->size)) {
        start = (uint64_t)offer->memory;
        bytes = offer->size;
    }
    offer->present_start = start;
    offer->present_bytes = bytes;
}
