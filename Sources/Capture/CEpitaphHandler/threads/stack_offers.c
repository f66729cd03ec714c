// SPDX-License-Identifier: Apache-2.0
//
// Each offer is an entry, settled by the signal handler in the thread it was sent to.

#include "epitaph_threads.h"

#include "epitaph_thread_registry.h"
#include "processor/registers.h"
#include "signals/actions.h"

#include <errno.h>
#include <time.h>

enum { WITH_PROGRAM, WITH_US, ENDING, BEING_RESTORED };
static uint32_t phase;

static bool enter_phase(uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(&phase, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static void restore_if_last(void) {
    if (__atomic_load_n(&epitaph_stack_offers_now.open_count, __ATOMIC_ACQUIRE) != 0) return;
    if (!enter_phase(ENDING, BEING_RESTORED)) return;
    epitaph_stop_signal_give_back(EPITAPH_STOP_SIGNAL_OFFERS);
    __atomic_store_n(&phase, WITH_PROGRAM, __ATOMIC_RELEASE);
}

/// Whether the thread has a stack as large, or runs on its own, which the kernel would keep.
static bool keeps_its_own(const ucontext_t *context, uint64_t stack_pointer, size_t offered) {
    uint64_t start = (uint64_t)context->uc_stack.ss_sp;
    uint64_t size = context->uc_stack.ss_size;
    if ((context->uc_stack.ss_flags & SS_DISABLE) != 0 || size == 0) return false;
    return size >= offered || stack_pointer - start < size;
}

static void answer(epitaph_stack_offer *offer, epitaph_stack_offer_state state) {
    __atomic_store_n(&offer->state, state, __ATOMIC_RELEASE);
    __atomic_fetch_add(&epitaph_stack_offers_now.open_count, (uint32_t)-1, __ATOMIC_RELEASE);
    epitaph_sys_futex_wake(&epitaph_stack_offers_now.open_count, 1);
    restore_if_last();
}

static void note_present(epitaph_stack_offer *offer, const ucontext_t *thread) {
    offer->present_start = (uint64_t)thread->uc_stack.ss_sp;
    offer->present_bytes = thread->uc_stack.ss_size >= offer->size ? thread->uc_stack.ss_size : 0;
}

static void answer_with(epitaph_stack_offer *offer, ucontext_t *thread) {
    // The handler runs on the stack the thread was on, or on its alternate stack.
    if (keeps_its_own(thread, epitaph_registers_stack_pointer(thread), offer->size)) {
        note_present(offer, thread);
        answer(offer, EPITAPH_STACK_DECLINED);
        return;
    }
    bool had_none = (thread->uc_stack.ss_flags & SS_DISABLE) != 0;
    offer->program_start = (uint64_t)thread->uc_stack.ss_sp;
    offer->program_bytes = had_none ? 0 : thread->uc_stack.ss_size;
    thread->uc_stack.ss_sp = offer->memory;
    thread->uc_stack.ss_size = offer->size;
    thread->uc_stack.ss_flags = 0;
    note_present(offer, thread);
    answer(offer, EPITAPH_STACK_ACCEPTED);
}

/// Whether this is our signal. At the limit of queued signals (RLIMIT_SIGPENDING) the kernel still
/// delivers it, once, but as SI_USER of process 0: collect_signal in kernel/signal.c. Without
/// `is_due` it would be passed on, and a previous default action would end the process.
static bool is_what_was_due(epitaph_stack_offer *offer, const siginfo_t *info) {
    bool is_sent_by_us = epitaph_stop_signal_is_request(info);
    bool is_without_sender = info->si_code == SI_USER && info->si_pid == 0 && info->si_uid == 0;
    if (!is_sent_by_us && !is_without_sender) return false;
    return __atomic_exchange_n(&offer->is_due, 0, __ATOMIC_ACQ_REL) != 0;
}

static bool handle_offer(const siginfo_t *info, ucontext_t *context) {
    int32_t tid = epitaph_sys_gettid();
    epitaph_stack_offer *offer = epitaph_stack_offer_to(tid);
    bool is_ours = offer != NULL && is_what_was_due(offer, info);
    bool is_open =
        offer != NULL && __atomic_load_n(&offer->state, __ATOMIC_ACQUIRE) == EPITAPH_STACK_OFFERED;
    if (is_ours && is_open) answer_with(offer, context);
    // Another sender's pending signal took the place of ours, signal(7): send it again.
    if (!is_ours && is_open) epitaph_stop_signal_send(epitaph_stack_offers_now.pid, tid);
    return is_ours;
}

/// The parent's threads do not exist here. Their stacks stay: this thread may be running on one.
static void forget_parents_offers(void) {
    __atomic_store_n(&epitaph_stack_offers_now.count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&epitaph_stack_offers_now.open_count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&phase, WITH_PROGRAM, __ATOMIC_RELEASE);
}

bool epitaph_stack_offers_are_of(int32_t pid) {
    return epitaph_stack_offers_now.pid == pid;
}

bool epitaph_stack_offers_begin(void) {
    int32_t pid = epitaph_sys_getpid();
    if (epitaph_stack_offers_now.pid != 0 && epitaph_stack_offers_now.pid != pid) {
        if (!epitaph_thread_registry_is_ours()) return false;
        forget_parents_offers();
    }
    if (!enter_phase(WITH_PROGRAM, WITH_US)) return false;
    epitaph_stack_offers_now.pid = pid;
    if (epitaph_stop_signal_take(EPITAPH_STOP_SIGNAL_OFFERS, handle_offer)) return true;
    __atomic_store_n(&phase, WITH_PROGRAM, __ATOMIC_RELEASE);
    return false;
}

bool epitaph_stack_offer_make(int32_t tid, void *memory, size_t size) {
    epitaph_stack_offers *offers = &epitaph_stack_offers_now;
    if (offers->count == EPITAPH_STACK_OFFER_LIMIT) return false;
    epitaph_stack_offer *offer = &offers->entries[offers->count];
    offer->tid = tid;
    offer->memory = memory;
    offer->size = size;
    offer->is_due = 1;
    __atomic_store_n(&offer->state, EPITAPH_STACK_OFFERED, __ATOMIC_RELEASE);
    __atomic_fetch_add(&offers->open_count, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&offers->count, offers->count + 1, __ATOMIC_RELEASE);
    if (epitaph_stop_signal_send(epitaph_stack_offers_now.pid, tid) == 0) return true;
    uint32_t state = EPITAPH_STACK_OFFERED;
    if (!__atomic_compare_exchange_n(&offer->state, &state, EPITAPH_STACK_FREE, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        // Another thread noticed that this one is gone, and freed the memory.
        return true;
    }
    __atomic_fetch_add(&offers->open_count, (uint32_t)-1, __ATOMIC_RELEASE);
    return false;
}

void epitaph_stack_offers_wait(uint64_t timeout_ns) {
    const uint32_t *open_count = &epitaph_stack_offers_now.open_count;
    epitaph_deadline deadline = epitaph_deadline_after(timeout_ns);
    uint32_t left;
    while ((left = __atomic_load_n(open_count, __ATOMIC_ACQUIRE)) != 0 &&
           epitaph_deadline_left(&deadline) > 0) {
        epitaph_deadline_wait(&deadline, open_count, left, timeout_ns);
    }
}

void epitaph_stack_offers_end(void) {
    enter_phase(WITH_US, ENDING);
    restore_if_last();
}

bool epitaph_stack_offer_reclaim(epitaph_stack_offer *offer) {
    uint32_t state = __atomic_load_n(&offer->state, __ATOMIC_ACQUIRE);
    if (state == EPITAPH_STACK_FREE || epitaph_sys_getpid() != epitaph_stack_offers_now.pid)
        return false;
    if (state != EPITAPH_STACK_DECLINED) {
        if (epitaph_sys_tgkill(epitaph_stack_offers_now.pid, offer->tid, 0) != -ESRCH) return false;
    }
    bool was_offered = state == EPITAPH_STACK_OFFERED;
    // Several threads may check at once; one gets the memory.
    if (!__atomic_compare_exchange_n(&offer->state, &state, EPITAPH_STACK_FREE, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        return false;
    }
    if (was_offered) {
        __atomic_fetch_add(&epitaph_stack_offers_now.open_count, (uint32_t)-1, __ATOMIC_RELEASE);
        restore_if_last();
    }
    return true;
}
