// SPDX-License-Identifier: Apache-2.0
//
// One round: each thread fills in its slot in the stop signal's handler and waits for its end.

#include "threads/threads.h"

#include "signals/actions.h"

#include <errno.h>

enum { SIGNAL_SHARE_OF_TIMEOUT = 4 };

/// A stopped thread continues by itself after this, in case the capture never ends.
static const uint64_t stopped_timeout_ns = 20ull * 1000000000;
static const uint64_t not_listed_pause_ns = 5ull * 1000000;
/// When and how often to check threads that have not reacted.
static const uint64_t first_look_ns = 2ull * 1000000;
static const uint64_t look_pause_ns = 20ull * 1000000;
/// The tracer, if allowed, starts after this at the latest.
static const uint64_t longest_signal_share_ns = 250ull * 1000000;

// All signals are blocked, so only the release or the timeout ends the wait. A thousand threads get
// here at once, so no call is superfluous. If the kernel refuses to wait, hold the thread anyway:
// it must not continue while others are read.
static void wait_for_release(epitaph_thread_slots *slots, uint32_t round, uint64_t timeout_ns) {
    // Most waits end with the first call, so read the clock only before another.
    if (epitaph_sys_futex_wait(&slots->round, round, timeout_ns) == -ETIMEDOUT) return;
    if (__atomic_load_n(&slots->round, __ATOMIC_ACQUIRE) != round) return;
    epitaph_deadline deadline = epitaph_deadline_after(timeout_ns);
    while (__atomic_load_n(&slots->round, __ATOMIC_ACQUIRE) == round) {
        if (epitaph_deadline_left(&deadline) == 0) return;
        epitaph_deadline_wait(&deadline, &slots->round, round, timeout_ns);
    }
}

static bool handle_stop(const siginfo_t *info, ucontext_t *context) {
    epitaph_thread_slots *slots = epitaph_capture_now()->threads;
    int32_t tid = epitaph_sys_gettid();
    // Read before waiting: afterwards the capture may be long over.
    bool restarts_calls = __atomic_load_n(&slots->restarts_calls, __ATOMIC_RELAXED);
    bool goes_on = restarts_calls || epitaph_capture_now()->may_survive;
    uint32_t round = __atomic_load_n(&slots->round, __ATOMIC_ACQUIRE);
    epitaph_thread_slot *slot = round == 0 ? NULL : epitaph_thread_slots_find(slots, tid);
    if (slot != NULL) {
        epitaph_thread_slot_answer(slots, slot, context);
        wait_for_release(slots, round, stopped_timeout_ns);
    }
    if (restarts_calls && epitaph_stop_signal_is_request(info))
        epitaph_interrupted_call_restart(context);
    // A process that goes on gets its own signals, for example a profiler's.
    return round != 0 && (!goes_on || epitaph_stop_signal_is_own(info));
}

/// The thread was sent a signal that it has not received yet.
static bool has_signal_pending(const epitaph_thread_slot *slot) {
    if (slot->signal == 0 || slot->answer == EPITAPH_THREAD_GONE) return false;
    return slot->answer != EPITAPH_THREAD_STOPPED || slot->has_signal_pending;
}

bool epitaph_thread_wait_in_place(epitaph_capture *capture, const ucontext_t *context,
                                  uint64_t timeout_ns) {
    epitaph_thread_slots *slots = capture->threads;
    epitaph_deadline deadline = epitaph_deadline_after(timeout_ns);
    while (epitaph_deadline_left(&deadline) > 0) {
        uint32_t round = __atomic_load_n(&slots->round, __ATOMIC_ACQUIRE);
        epitaph_thread_slot *slot =
            round == 0 ? NULL : epitaph_thread_slots_find(slots, epitaph_sys_gettid());
        if (slot != NULL) {
            slot->has_signal_pending = true;
            epitaph_thread_slot_answer(slots, slot, context);
            wait_for_release(slots, round, timeout_ns);
            return __atomic_load_n(&slots->round, __ATOMIC_ACQUIRE) != round;
        }
        epitaph_deadline_wait(&deadline, &slots->round, round, not_listed_pause_ns);
        if (!epitaph_owner_is_set()) return true;
    }
    return false;
}

void epitaph_threads_stop(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    epitaph_thread_slots_begin(slots);
    capture->threads_stand_still = false;
    __atomic_store_n(&slots->restarts_calls, capture->is_live, __ATOMIC_RELAXED);
    // An earlier capture leaves the handler installed if some thread never reacted.
    if (!epitaph_stop_signal_take(EPITAPH_STOP_SIGNAL_THREADS, handle_stop)) {
        slots->error = EINVAL;
        return;
    }
    // A live dump leaves alone what belongs to libc.
    slots->has_second_signal = !capture->is_live && epitaph_second_signal_take(handle_stop);
    if (++slots->last_round == 0) slots->last_round = 1;
    __atomic_store_n(&slots->round, slots->last_round, __ATOMIC_RELEASE);
    // Threads not asked yet may be creating others; the wait looks for those.
    epitaph_threads_ask_new(capture);
}

static uint32_t count_awaited(const epitaph_thread_slots *slots) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < slots->count; i++)
        count += epitaph_thread_slot_is_awaited(&slots->entries[i]) ? 1 : 0;
    return count;
}

static bool all_stopped(const epitaph_thread_slots *slots) {
    if (slots->error != 0 || slots->has_more) return false;
    for (uint32_t i = 0; i < slots->count; i++) {
        uint64_t answer = __atomic_load_n(&slots->entries[i].answer, __ATOMIC_ACQUIRE);
        if (answer != EPITAPH_THREAD_STOPPED && answer != EPITAPH_THREAD_GONE) return false;
    }
    return true;
}

static void wait_for_answers(epitaph_thread_slots *slots, epitaph_deadline *deadline,
                             uint64_t pause_ns) {
    epitaph_deadline pause = epitaph_deadline_after(pause_ns);
    uint32_t stopped = __atomic_load_n(&slots->stopped_count, __ATOMIC_ACQUIRE);
    uint32_t wanted = stopped + count_awaited(slots);
    while (stopped < wanted) {
        uint64_t left = epitaph_deadline_left(&pause);
        if (left == 0 || epitaph_deadline_left(deadline) == 0) break;
        __atomic_store_n(&slots->is_awaited, 1, __ATOMIC_SEQ_CST);
        epitaph_deadline_wait(&pause, &slots->stopped_count, stopped, left);
        stopped = __atomic_load_n(&slots->stopped_count, __ATOMIC_ACQUIRE);
    }
    // Without a clock the elapsed time is the sum of the pauses.
    if (deadline->end_ns == 0) {
        uint64_t spent = pause_ns - pause.left_ns;
        deadline->left_ns = spent < deadline->left_ns ? deadline->left_ns - spent : 0;
    }
    __atomic_store_n(&slots->is_awaited, 0, __ATOMIC_RELEASE);
}

/// Checks a thread that has not reacted: one that has ended never will, nor will one that sleeps
/// and blocks its signal. One that runs may be inside pthread_create(3) or pthread_exit(3), which
/// block all signals for a moment: it gets some looks.
static void look_at(epitaph_capture *capture, epitaph_thread_slot *slot) {
    const epitaph_kernel_status status = epitaph_kernel_status_read(capture, slot->tid);
    if (status.has_ended) {
        if (epitaph_thread_slot_claim(slot)) {
            epitaph_thread_slot_settle(capture->threads, slot, EPITAPH_THREAD_GONE);
        }
    } else if (epitaph_signals_have(status.blocked, slot->signal) &&
               !epitaph_thread_blocks_briefly(slot, &status, slot->signal)) {
        slot->cannot_answer = EPITAPH_WHY_SIGNAL_BLOCKED;
    }
}

static void look_again(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    for (uint32_t i = 0; i < slots->count; i++) {
        epitaph_thread_slot *slot = &slots->entries[i];
        if (!epitaph_thread_slot_is_awaited(slot) || slot->cannot_answer != 0) continue;
        if (slot->signal == 0) {
            epitaph_thread_ask(capture, slot);
        } else {
            look_at(capture, slot);
        }
    }
}

static bool has_some_to_trace(const epitaph_capture *capture) {
    for (uint32_t i = 0; i < capture->threads->count; i++) {
        if (epitaph_thread_is_to_be_traced(capture, &capture->threads->entries[i])) return true;
    }
    return false;
}

// No thread is waited for that cannot answer. The tracer takes those, once they are the only ones
// left or the signal has had its share of the time.
void epitaph_threads_wait(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    uint64_t timeout_ns = epitaph_milliseconds(epitaph_capture_settings_now.limits.stop_timeout_ms);
    epitaph_deadline deadline = epitaph_deadline_after(timeout_ns);
    uint64_t share_ns = timeout_ns / SIGNAL_SHARE_OF_TIMEOUT;
    if (share_ns > longest_signal_share_ns) share_ns = longest_signal_share_ns;
    bool may_trace = epitaph_threads_may_be_traced(capture);
    uint64_t pause_ns = first_look_ns;
    if (slots->round == 0) return;
    for (;;) {
        uint64_t left = epitaph_deadline_left(&deadline);
        // Before looking for new ones: a thread that stops in between may have made one.
        bool are_awaited = count_awaited(slots) != 0;
        if (epitaph_threads_ask_new(capture) != 0) are_awaited = true;
        bool is_share_over = left + share_ns <= timeout_ns;
        if (may_trace && has_some_to_trace(capture) && (!are_awaited || is_share_over)) {
            may_trace = false;
            epitaph_threads_trace(capture, deadline.end_ns);
            pause_ns = first_look_ns;
        } else if (left == 0 || !are_awaited) {
            break;
        }
        wait_for_answers(slots, &deadline, pause_ns);
        pause_ns = look_pause_ns;
        if (slots->needs_new_map) {
            slots->needs_new_map = false;
            epitaph_mappings_read_again(&capture->mappings);
        }
        look_again(capture);
    }
    capture->threads_stand_still = all_stopped(slots);
}

// A thread that has not reacted still has the signal pending, and the default action would end the
// process once it unblocks it. So the handler stays, ignores that signal, and passes on others.
void epitaph_threads_release(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    capture->threads_stand_still = false;
    epitaph_threads_untrace(capture);
    if (__atomic_exchange_n(&slots->round, 0, __ATOMIC_ACQ_REL) == 0) return;
    epitaph_sys_futex_wake(&slots->round, 0x7fffffff);
    for (uint32_t i = 0; i < slots->count; i++) {
        if (has_signal_pending(&slots->entries[i])) return;
    }
    if (slots->has_second_signal) epitaph_second_signal_give_back();
    epitaph_stop_signal_give_back(EPITAPH_STOP_SIGNAL_THREADS);
}
