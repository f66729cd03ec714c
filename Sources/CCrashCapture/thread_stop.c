// SPDX-License-Identifier: Apache-2.0

#include "thread_stop.h"

#include "bytes.h"
#include "owner.h"
#include "signals.h"
#include "sys.h"
#include "thread_waiting.h"
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <time.h>

enum {
    LIST_ROUND_LIMIT = 4,
    DIRENT_NAME_OFFSET = 19,
    DIRENT_LENGTH_OFFSET = 16,
    DIRENT_BUFFER_SIZE = 4096,
};

/// A stopped thread goes on by itself after this long, in case the capture never ends.
static const uint64_t stopped_timeout_ns = 20ull * 1000000000;
static const uint64_t not_listed_pause_ns = 5ull * 1000000;

static epitaph_kernel_sigaction earlier_action;

static void wait_for_release(epitaph_thread_slots *slots, uint32_t round, uint64_t timeout_ns) {
    uint64_t deadline = epitaph_sys_clock_ns(CLOCK_MONOTONIC) + timeout_ns;
    while (__atomic_load_n(&slots->round, __ATOMIC_ACQUIRE) == round) {
        uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
        if (now >= deadline) return;
        epitaph_sys_futex_wait(&slots->round, round, deadline - now);
    }
}

static void stop_handler(int signal, siginfo_t *info, void *context) {
    (void)signal;
    epitaph_thread_slots *slots = &epitaph_capture_now->threads;
    if (info->si_code == SI_TIMER && epitaph_sys_gettid() == epitaph_capture_now->tid) {
        epitaph_watchdog_bark(epitaph_capture_now);
        return;
    }
    uint32_t round = __atomic_load_n(&slots->round, __ATOMIC_ACQUIRE);
    if (round == 0) return;
    epitaph_thread_slot *slot = epitaph_thread_slots_find(slots, epitaph_sys_gettid());
    if (slot == NULL) return;
    epitaph_thread_slot_answer(slots, slot, context);
    wait_for_release(slots, round, stopped_timeout_ns);
    if (epitaph_capture_now->is_live) epitaph_registers_restart_call(context);
}

bool epitaph_thread_wait_in_place(epitaph_capture *capture, const ucontext_t *context,
                                  uint64_t timeout_ns) {
    epitaph_thread_slots *slots = &capture->threads;
    uint64_t deadline = epitaph_sys_clock_ns(CLOCK_MONOTONIC) + timeout_ns;
    while (epitaph_sys_clock_ns(CLOCK_MONOTONIC) < deadline) {
        uint32_t round = __atomic_load_n(&slots->round, __ATOMIC_ACQUIRE);
        epitaph_thread_slot *slot =
            round == 0 ? NULL : epitaph_thread_slots_find(slots, epitaph_sys_gettid());
        if (slot != NULL) {
            epitaph_thread_slot_answer(slots, slot, context);
            wait_for_release(slots, round, timeout_ns);
            return __atomic_load_n(&slots->round, __ATOMIC_ACQUIRE) != round;
        }
        epitaph_sys_futex_wait(&slots->round, round, not_listed_pause_ns);
        if (!epitaph_owner_is_set()) return true;
    }
    return false;
}

/// Answers for a thread that is not going to.
static void settle(epitaph_capture *capture, epitaph_thread_slot *slot,
                   epitaph_thread_answer answer) {
    __atomic_store_n(&slot->answer, answer, __ATOMIC_RELEASE);
    __atomic_fetch_add(&capture->threads.stopped_count, 1, __ATOMIC_RELEASE);
}

static void ask(epitaph_capture *capture, int32_t tid) {
    if (tid == capture->tid) return;
    epitaph_thread_slot *slot = epitaph_thread_slots_add(&capture->threads, tid);
    if (slot == NULL) return;
    if (capture->is_live && !epitaph_thread_may_be_interrupted(tid)) {
        settle(capture, slot, EPITAPH_THREAD_LEFT_RUNNING);
        return;
    }
    int signal = epitaph_capture_settings_now.stop_signal;
    if (epitaph_sys_tgkill(capture->pid, tid, signal) == -ESRCH) {
        settle(capture, slot, EPITAPH_THREAD_GONE);
    }
}

/// Asks every thread in the list that has no slot yet; returns how many were new.
static uint32_t ask_listed(epitaph_capture *capture) {
    epitaph_thread_slots *slots = &capture->threads;
    uint32_t known = slots->count;
    long fd =
        epitaph_sys_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) {
        slots->error = (int32_t)-fd;
        return 0;
    }
    _Alignas(8) char entries[DIRENT_BUFFER_SIZE];
    long got;
    while ((got = epitaph_sys_getdents((int)fd, entries, sizeof entries)) > 0) {
        for (long i = 0; i + DIRENT_NAME_OFFSET < got;) {
            uint16_t length;
            epitaph_bytes_copy(&length, entries + i + DIRENT_LENGTH_OFFSET, sizeof length);
            const char *name = entries + i + DIRENT_NAME_OFFSET;
            int32_t tid = (int32_t)epitaph_text_read_decimal(&name, entries + got);
            if (tid > 0) ask(capture, tid);
            if (length == 0) break;
            i += length;
        }
    }
    epitaph_sys_close((int)fd);
    return slots->count - known;
}

void epitaph_threads_stop(epitaph_capture *capture) {
    epitaph_thread_slots_begin(&capture->threads);
    if (!epitaph_signal_install_stop_handler((void *)stop_handler, &earlier_action)) return;
    uint32_t round = ++capture->threads.last_round;
    __atomic_store_n(&capture->threads.round, round, __ATOMIC_RELEASE);
    // Threads that exist but were not asked may be creating others, so look until nothing new is
    // found.
    for (int i = 0; i < LIST_ROUND_LIMIT && ask_listed(capture) > 0; i++) {
    }
}

void epitaph_threads_wait(epitaph_capture *capture) {
    epitaph_thread_slots *slots = &capture->threads;
    uint64_t timeout_ns = epitaph_capture_settings_now.limits.stop_timeout_ns;
    uint64_t deadline = capture->started_ns + timeout_ns;
    for (;;) {
        uint32_t stopped = __atomic_load_n(&slots->stopped_count, __ATOMIC_ACQUIRE);
        if (stopped >= slots->count && ask_listed(capture) == 0) return;
        uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
        if (now >= deadline) return;
        stopped = __atomic_load_n(&slots->stopped_count, __ATOMIC_ACQUIRE);
        if (stopped < slots->count) {
            epitaph_sys_futex_wait(&slots->stopped_count, stopped, deadline - now);
        }
    }
}

void epitaph_threads_release(epitaph_capture *capture) {
    epitaph_thread_slots *slots = &capture->threads;
    if (__atomic_exchange_n(&slots->round, 0, __ATOMIC_ACQ_REL) == 0) return;
    epitaph_sys_futex_wake(&slots->round, 0x7fffffff);
    epitaph_sys_sigaction(epitaph_capture_settings_now.stop_signal, &earlier_action, NULL);
}
