// SPDX-License-Identifier: Apache-2.0
//
// Slots with a hash of thread ids. Any thread may search while one adds.

#include "threads/threads.h"

void epitaph_thread_slots_begin(epitaph_thread_slots *slots) {
    // Clears only what an earlier capture used: the table is too big to touch needlessly.
    for (uint32_t i = 0; i < slots->count; i++) {
        uint32_t place = (uint32_t)slots->entries[i].tid % EPITAPH_THREAD_HASH_SIZE;
        while (slots->hash[place] != 0) {
            slots->hash[place] = 0;
            place = (place + 1) % EPITAPH_THREAD_HASH_SIZE;
        }
    }
    slots->count = 0;
    slots->stopped_count = 0;
    slots->has_more = false;
    slots->needs_new_map = false;
    slots->error = 0;
}

epitaph_thread_slot *epitaph_thread_slots_find(epitaph_thread_slots *slots, int32_t tid) {
    uint32_t place = (uint32_t)tid % EPITAPH_THREAD_HASH_SIZE;
    for (;;) {
        uint32_t index = __atomic_load_n(&slots->hash[place], __ATOMIC_ACQUIRE);
        if (index == 0) return NULL;
        epitaph_thread_slot *slot = &slots->entries[index - 1];
        if (slot->tid == tid) return slot;
        place = (place + 1) % EPITAPH_THREAD_HASH_SIZE;
    }
}

epitaph_thread_slot *epitaph_thread_slots_add(epitaph_thread_slots *slots, int32_t tid) {
    if (epitaph_thread_slots_find(slots, tid) != NULL) return NULL;
    if (slots->count == EPITAPH_THREAD_LIMIT) {
        slots->has_more = true;
        return NULL;
    }
    epitaph_thread_slot *slot = &slots->entries[slots->count++];
    epitaph_bytes_zero(slot, sizeof *slot);
    slot->tid = tid;
    slot->answer = EPITAPH_THREAD_ASKED;
    uint32_t place = (uint32_t)tid % EPITAPH_THREAD_HASH_SIZE;
    while (slots->hash[place] != 0)
        place = (place + 1) % EPITAPH_THREAD_HASH_SIZE;
    __atomic_store_n(&slots->hash[place], slots->count, __ATOMIC_RELEASE);
    return slot;
}

// A thousand threads do this at once: one call instead of three older ones.
void epitaph_thread_slot_describe_scheduling(epitaph_thread_slot *slot, int32_t tid) {
    epitaph_kernel_sched_attr attributes;
    epitaph_bytes_zero(&attributes, sizeof attributes);
    bool is_known = epitaph_sys_sched_getattr(tid, &attributes) >= 0;
    slot->policy = is_known ? (int32_t)attributes.policy : -1;
    slot->priority = (int32_t)attributes.priority;
    slot->nice = attributes.nice;
}

void epitaph_thread_slot_describe_self(epitaph_thread_slot *slot) {
    slot->thread_data_address = epitaph_sys_thread_data_address();
    epitaph_thread_slot_describe_scheduling(slot, 0);
    if (epitaph_sys_get_thread_name(slot->name) < 0) slot->name[0] = 0;
}

bool epitaph_thread_slot_claim(epitaph_thread_slot *slot) {
    uint64_t asked = EPITAPH_THREAD_ASKED;
    return __atomic_compare_exchange_n(&slot->answer, &asked, EPITAPH_THREAD_ANSWERING, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool epitaph_thread_slot_is_awaited(const epitaph_thread_slot *slot) {
    switch (__atomic_load_n(&slot->answer, __ATOMIC_ACQUIRE)) {
    case EPITAPH_THREAD_ANSWERING: return true;
    case EPITAPH_THREAD_ASKED: break;
    default: return false;
    }
    bool is_in_tracer =
        slot->is_traced && __atomic_load_n(&slot->trace_error, __ATOMIC_ACQUIRE) == 0;
    return slot->cannot_answer == 0 || is_in_tracer;
}

// Slot before count: a thread that sees the count must find the slot filled in.
void epitaph_thread_slot_settle(epitaph_thread_slots *slots, epitaph_thread_slot *slot,
                                epitaph_thread_answer answer) {
    __atomic_store_n(&slot->answer, answer, __ATOMIC_RELEASE);
    __atomic_fetch_add(&slots->stopped_count, 1, __ATOMIC_RELEASE);
    // The count changed before this load, so a capture that starts to wait now sees the change.
    if (__atomic_load_n(&slots->is_awaited, __ATOMIC_SEQ_CST) != 0) {
        epitaph_sys_futex_wake(&slots->stopped_count, 1);
    }
}

void epitaph_thread_slot_answer(epitaph_thread_slots *slots, epitaph_thread_slot *slot,
                                const ucontext_t *context) {
    if (!epitaph_thread_slot_claim(slot)) return;
    slot->context = context;
    epitaph_thread_slot_describe_self(slot);
    epitaph_thread_slot_settle(slots, slot, EPITAPH_THREAD_STOPPED);
}
