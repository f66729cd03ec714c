// SPDX-License-Identifier: Apache-2.0
//
// Each entry is taken and released with one compare-and-swap.

#include "epitaph_thread_registry.h"

#include "epitaph_offered_stacks.h"
#include "epitaph_placement.h"
#include "epitaph_process.h"
#include "epitaph_settings.h"
#include "system/sys.h"

#include <errno.h>
#include <signal.h>

enum { LOOKS_FOR_THE_DEAD = 2 };

static EPITAPH_SPARSE epitaph_thread_place places[EPITAPH_THREAD_LIMIT];
/// Entries ever used.
static uint64_t used_count;
/// Search start: no entry below is known to be free.
static uint64_t lowest_free;

/// What the thread that forked had in its parent's entry, and may still run on.
static void *forked_stack;

static uint64_t id_of(uint32_t pid, int32_t tid) {
    return (uint64_t)pid << 32 | (uint32_t)tid;
}

static void count_as_used(uint64_t count) {
    uint64_t present = __atomic_load_n(&used_count, __ATOMIC_RELAXED);
    while (present < count && !__atomic_compare_exchange_n(&used_count, &present, count, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
}

/// Makes the list this process's if it belongs to none; otherwise false and whose it is.
static bool claim_list(uint32_t pid, uint32_t *owner) {
    epitaph_process_page *page = epitaph_process_page_now;
    *owner = 0;
    return page != NULL && __atomic_compare_exchange_n(&page->registry_pid, owner, pid, false,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/// Whether the list belongs to this process. A process that clone(2) made with its parent's memory
/// finds the parent's mark; a forked one finds none.
static bool is_our_list(uint32_t pid) {
    uint32_t owner;
    return claim_list(pid, &owner) || owner == pid;
}

bool epitaph_thread_registry_is_new(void) {
    uint32_t owner;
    return claim_list((uint32_t)epitaph_sys_getpid(), &owner);
}

bool epitaph_thread_registry_is_ours(void) {
    return is_our_list((uint32_t)epitaph_sys_getpid());
}

static bool is_set(const void *start) {
    stack_t stack;
    return start != NULL && epitaph_sys_sigaltstack_get(&stack) == 0 && stack.ss_sp == start;
}

/// The thread that forked may still run on the stack in its parent's entry.
static void leave_to_forked(epitaph_thread_place *place) {
    if (place->program_bytes == 0 && is_set(place->stack))
        __atomic_store_n(&forked_stack, place->stack, __ATOMIC_RELAXED);
    place->stack = NULL;
}

static bool find_stack(const void *start, uint64_t *program_start, uint64_t *program_bytes) {
    *program_start = 0;
    *program_bytes = 0;
    if (start == NULL) return false;
    if (start == __atomic_load_n(&forked_stack, __ATOMIC_RELAXED)) return true;
    uint64_t count = __atomic_load_n(&used_count, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < count; i++) {
        if (places[i].stack != start) continue;
        *program_start = places[i].program_start;
        *program_bytes = places[i].program_bytes;
        return true;
    }
    return epitaph_stack_offer_find(start, program_start, program_bytes);
}

bool epitaph_thread_stack_find(const void *start, stack_t *programs) {
    uint64_t program_start, program_bytes;
    if (!find_stack(start, &program_start, &program_bytes)) return false;
    programs->ss_sp = (void *)program_start;
    programs->ss_size = program_bytes;
    programs->ss_flags = program_bytes == 0 ? SS_DISABLE : 0;
    return true;
}

bool epitaph_thread_stack_is_hidden(const void *start) {
    uint64_t program_start, program_bytes;
    if (__atomic_load_n(&epitaph_capture_settings_now.stacks_are_adopted, __ATOMIC_ACQUIRE) != 0)
        return false;
    return find_stack(start, &program_start, &program_bytes) && program_bytes == 0;
}

static epitaph_thread_place *take(epitaph_thread_place *place, uint32_t pid) {
    uint64_t present = __atomic_load_n(&place->thread, __ATOMIC_RELAXED);
    // A fork copied another process's entry.
    if (present != 0 && present >> 32 == pid) return NULL;
    if (!__atomic_compare_exchange_n(&place->thread, &present, id_of(pid, 0), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return NULL;
    }
    if (present != 0) leave_to_forked(place);
    return place;
}

epitaph_thread_place *epitaph_thread_place_take(void) {
    uint32_t pid = (uint32_t)epitaph_sys_getpid();
    if (!is_our_list(pid)) return NULL;
    uint64_t first = __atomic_load_n(&lowest_free, __ATOMIC_RELAXED);
    for (uint64_t i = 0; i < EPITAPH_THREAD_LIMIT; i++) {
        uint64_t index = (first + i) % EPITAPH_THREAD_LIMIT;
        epitaph_thread_place *place = take(&places[index], pid);
        if (place == NULL) continue;
        // The search wraps around to entries released meanwhile.
        __atomic_store_n(&lowest_free, index + 1, __ATOMIC_RELAXED);
        count_as_used(index + 1);
        return place;
    }
    return NULL;
}

// If a thread id was reused, the entry is freed when that thread ends too.
epitaph_thread_place *epitaph_thread_place_take_dead(void) {
    static uint64_t next;
    uint64_t count = __atomic_load_n(&used_count, __ATOMIC_ACQUIRE);
    int32_t pid = epitaph_sys_getpid();
    if (count == 0 || !is_our_list((uint32_t)pid)) return NULL;
    for (int look = 0; look < LOOKS_FOR_THE_DEAD; look++) {
        uint64_t index = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % count;
        uint64_t present = __atomic_load_n(&places[index].thread, __ATOMIC_ACQUIRE);
        int32_t tid = (int32_t)(uint32_t)present;
        if (present >> 32 != (uint32_t)pid || tid == 0) continue;
        if (epitaph_sys_tgkill(pid, tid, 0) != -ESRCH) continue;
        if (__atomic_compare_exchange_n(&places[index].thread, &present, id_of((uint32_t)pid, 0),
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            return &places[index];
        }
    }
    return NULL;
}

static void note_stack(epitaph_thread_place *place, uint64_t start, uint64_t bytes) {
    __atomic_store_n(&place->alternate_start, start, __ATOMIC_RELAXED);
    __atomic_store_n(&place->alternate_bytes, bytes, __ATOMIC_RELAXED);
}

void epitaph_thread_place_occupy(epitaph_thread_place *place, size_t stack_size) {
    uint64_t promised = __atomic_load_n(&place->thread, __ATOMIC_RELAXED);
    stack_t stack;
    epitaph_bytes_zero(&stack, sizeof stack);
    bool has_none = epitaph_sys_sigaltstack_get(&stack) == 0 && (stack.ss_flags & SS_DISABLE) != 0;
    if (has_none && place->stack != NULL) {
        stack.ss_sp = place->stack;
        stack.ss_size = epitaph_own_alternate_stack_set(place->stack, stack_size) ? stack_size : 0;
    }
    note_stack(place, (uint64_t)stack.ss_sp, stack.ss_size);
    __atomic_store_n(&place->thread, promised | (uint32_t)epitaph_sys_gettid(), __ATOMIC_RELEASE);
}

static epitaph_thread_place *find(uint64_t thread) {
    uint64_t count = __atomic_load_n(&used_count, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < count; i++) {
        if (__atomic_load_n(&places[i].thread, __ATOMIC_ACQUIRE) == thread) return &places[i];
    }
    return NULL;
}

epitaph_thread_place *epitaph_thread_place_find(void) {
    return find(id_of((uint32_t)epitaph_sys_getpid(), epitaph_sys_gettid()));
}

void epitaph_thread_place_note_stack(uint64_t start, uint64_t bytes, size_t own_size) {
    epitaph_thread_place *place = epitaph_thread_place_find();
    if (place == NULL) {
        epitaph_stack_offer_note_stack(start, bytes);
        return;
    }
    place->program_bytes = 0;
    if (bytes == 0 && place->stack != NULL &&
        epitaph_own_alternate_stack_set(place->stack, own_size)) {
        start = (uint64_t)place->stack;
        bytes = own_size;
    }
    note_stack(place, start, bytes);
}

bool epitaph_thread_place_is_mine(const epitaph_thread_place *place) {
    return __atomic_load_n(&place->thread, __ATOMIC_ACQUIRE) ==
           id_of((uint32_t)epitaph_sys_getpid(), epitaph_sys_gettid());
}

bool epitaph_thread_place_has_stack(int32_t tid) {
    const epitaph_thread_place *place = find(id_of((uint32_t)epitaph_sys_getpid(), tid));
    return place != NULL && place->stack != NULL;
}

void epitaph_thread_place_give_back(epitaph_thread_place *place) {
    uint64_t index = (uint64_t)(place - places);
    __atomic_store_n(&place->thread, 0, __ATOMIC_RELEASE);
    uint64_t lowest = __atomic_load_n(&lowest_free, __ATOMIC_RELAXED);
    while (index < lowest && !__atomic_compare_exchange_n(&lowest_free, &lowest, index, false,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void epitaph_thread_registry_visit(void *capture,
                                   void (*visit)(void *capture, int32_t tid,
                                                 const epitaph_thread_place *place)) {
    uint64_t count = __atomic_load_n(&used_count, __ATOMIC_ACQUIRE);
    uint32_t pid = (uint32_t)epitaph_sys_getpid();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t thread = __atomic_load_n(&places[i].thread, __ATOMIC_ACQUIRE);
        int32_t tid = (int32_t)(uint32_t)thread;
        if (thread >> 32 == pid && tid != 0) visit(capture, tid, &places[i]);
    }
}
