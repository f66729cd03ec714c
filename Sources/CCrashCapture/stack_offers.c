// SPDX-License-Identifier: Apache-2.0

#include "epitaph_stack_offers.h"

#include "epitaph_capture.h"
#include "registers.h"
#include "stop_signal.h"
#include "sys.h"

#include <errno.h>
#include <time.h>
#include <ucontext.h>

epitaph_stack_offers epitaph_stack_offers_now;

static int32_t offering_pid;
/// 1 when the earlier action is to come back with the last answer, 0 before and after.
static uint32_t is_ending;

static void restore_if_last(void) {
    if (__atomic_load_n(&epitaph_stack_offers_now.open_count, __ATOMIC_ACQUIRE) != 0) return;
    if (__atomic_exchange_n(&is_ending, 0, __ATOMIC_ACQ_REL) == 0) return;
    epitaph_stop_signal_give_back(EPITAPH_STOP_SIGNAL_OFFERS);
}

static epitaph_stack_offer *find(int32_t tid) {
    epitaph_stack_offers *offers = &epitaph_stack_offers_now;
    uint32_t count = __atomic_load_n(&offers->count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        epitaph_stack_offer *offer = &offers->entries[i];
        if (offer->tid != tid) continue;
        if (__atomic_load_n(&offer->state, __ATOMIC_ACQUIRE) == EPITAPH_STACK_OFFERED) return offer;
    }
    return NULL;
}

/// Whether the thread is to keep what it has: a stack at least as large, or one it is running on,
/// which the kernel would not exchange.
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

static bool handle_offer(const siginfo_t *info, ucontext_t *thread) {
    (void)info;
    epitaph_stack_offer *offer = find(epitaph_sys_gettid());
    if (offer == NULL) return false;
    // The handler runs on the stack the thread was on, or on the alternate one if it has it.
    if (keeps_its_own(thread, epitaph_registers_stack_pointer(thread), offer->size)) {
        answer(offer, EPITAPH_STACK_DECLINED);
        return true;
    }
    thread->uc_stack.ss_sp = offer->memory;
    thread->uc_stack.ss_size = offer->size;
    thread->uc_stack.ss_flags = 0;
    answer(offer, EPITAPH_STACK_TAKEN);
    return true;
}

bool epitaph_stack_offers_begin(void) {
    offering_pid = epitaph_sys_getpid();
    return epitaph_stop_signal_take(EPITAPH_STOP_SIGNAL_OFFERS, handle_offer);
}

bool epitaph_stack_offer_make(int32_t tid, void *memory, size_t size) {
    epitaph_stack_offers *offers = &epitaph_stack_offers_now;
    if (offers->count == EPITAPH_STACK_OFFER_LIMIT) return false;
    epitaph_stack_offer *offer = &offers->entries[offers->count];
    offer->tid = tid;
    offer->memory = memory;
    offer->size = size;
    __atomic_store_n(&offer->state, EPITAPH_STACK_OFFERED, __ATOMIC_RELEASE);
    __atomic_fetch_add(&offers->open_count, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&offers->count, offers->count + 1, __ATOMIC_RELEASE);
    int signal = epitaph_capture_settings_now.stop_signal;
    if (epitaph_sys_tgkill(offering_pid, tid, signal) == 0) return true;
    __atomic_store_n(&offer->state, EPITAPH_STACK_FREE, __ATOMIC_RELEASE);
    __atomic_fetch_add(&offers->open_count, (uint32_t)-1, __ATOMIC_RELEASE);
    __atomic_store_n(&offers->count, offers->count - 1, __ATOMIC_RELEASE);
    return false;
}

void epitaph_stack_offers_wait(uint64_t timeout_ns) {
    const uint32_t *open_count = &epitaph_stack_offers_now.open_count;
    uint64_t deadline = epitaph_sys_clock_ns(CLOCK_MONOTONIC) + timeout_ns;
    for (;;) {
        uint32_t left = __atomic_load_n(open_count, __ATOMIC_ACQUIRE);
        uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
        if (left == 0 || now >= deadline) return;
        epitaph_sys_futex_wait(open_count, left, deadline - now);
    }
}

void epitaph_stack_offers_end(void) {
    __atomic_exchange_n(&is_ending, 1, __ATOMIC_ACQ_REL);
    restore_if_last();
}

bool epitaph_stack_offer_take_back(epitaph_stack_offer *offer) {
    uint32_t state = __atomic_load_n(&offer->state, __ATOMIC_ACQUIRE);
    if (state == EPITAPH_STACK_FREE || epitaph_sys_getpid() != offering_pid) return false;
    if (state != EPITAPH_STACK_DECLINED) {
        if (epitaph_sys_tgkill(offering_pid, offer->tid, 0) != -ESRCH) return false;
    }
    __atomic_store_n(&offer->state, EPITAPH_STACK_FREE, __ATOMIC_RELEASE);
    if (state == EPITAPH_STACK_OFFERED) {
        __atomic_fetch_add(&epitaph_stack_offers_now.open_count, (uint32_t)-1, __ATOMIC_RELEASE);
        restore_if_last();
    }
    return true;
}
