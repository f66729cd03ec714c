// SPDX-License-Identifier: Apache-2.0
//
// The stop signal's only handler, its previous action, and its users.
//
// It is queued as a timer's, with a value of ours, by which it is known from the program's. And a
// thread in execve(2) takes no pending one of a timer along (flush_itimer_signals of
// kernel/signal.c), while any other would end the program that the process becomes.

#include "signals/actions.h"

#include "processor/registers.h"

#include <errno.h>

static epitaph_stop_signal_handler users[EPITAPH_STOP_SIGNAL_USER_COUNT];
/// The program's action before the first user, or set since.
static epitaph_kernel_sigaction previous_action;
static epitaph_stop_signal_handler timer_handler;
/// Their addresses identify our timers and requests: a profiler's have the same code and signal.
static const char timer_mark;
static const char request_mark;
/// Whether a request was refused its mark, and sent without.
static uint32_t has_sent_unmarked;

/// Held for two system calls. A crash waits only briefly for a thread stopped in between.
static uint32_t is_locked;
static const uint64_t lock_timeout_ns = 20ull * 1000000;
static const uint64_t lock_pause_ns = 50000;

static void lock(void) {
    epitaph_deadline deadline = epitaph_deadline_after(lock_timeout_ns);
    while (__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE) != 0) {
        if (epitaph_deadline_left(&deadline) == 0) return;
        epitaph_deadline_pause(&deadline, lock_pause_ns);
    }
}

static void unlock(void) {
    __atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE);
}

static void epitaph_stop_signal_handle(int signal, siginfo_t *info, void *context);

static bool is_of_own_timer(const siginfo_t *info) {
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == (const void *)&timer_mark;
}

bool epitaph_stop_signal_is_request(const siginfo_t *info) {
    if (info->si_code == SI_TIMER) return info->si_value.sival_ptr == (const void *)&request_mark;
    return info->si_code == SI_TKILL && info->si_pid == epitaph_sys_getpid() &&
           __atomic_load_n(&has_sent_unmarked, __ATOMIC_ACQUIRE) != 0;
}

/// One of ours, late or sent twice. At the RLIMIT_SIGPENDING limit the kernel drops the siginfo and
/// reports process 0 as sender, kernel/signal.c.
bool epitaph_stop_signal_is_own(const siginfo_t *info) {
    return is_of_own_timer(info) || epitaph_stop_signal_is_request(info) ||
           (info->si_code == SI_USER && info->si_pid == 0);
}

/// The thread whose signals are kept; 0: none. One captures at a time.
static int32_t keeper;
/// Of a signal that is pending the kernel keeps the first, too; si_signo is 0: none.
static siginfo_t kept;

bool epitaph_stop_signal_keep_others(int32_t tid) {
    if (__atomic_load_n(&keeper, __ATOMIC_RELAXED) == tid) return false;
    kept.si_signo = 0;
    __atomic_store_n(&keeper, tid, __ATOMIC_RELAXED);
    return true;
}

void epitaph_stop_signal_give_kept(bool goes_on) {
    int32_t tid = __atomic_exchange_n(&keeper, 0, __ATOMIC_ACQ_REL);
    if (kept.si_signo == 0 || !goes_on) return;
    epitaph_sys_tgsigqueueinfo(epitaph_sys_getpid(), tid, kept.si_signo, &kept);
}

/// Whether it is the program's, and the thread's to keep.
static bool keep(const siginfo_t *info) {
    int32_t tid = __atomic_load_n(&keeper, __ATOMIC_RELAXED);
    if (tid == 0 || epitaph_stop_signal_is_own(info) || tid != epitaph_sys_gettid()) return false;
    if (kept.si_signo == 0) epitaph_bytes_copy(&kept, info, sizeof kept);
    return true;
}

static bool has_users(void) {
    for (int i = 0; i < EPITAPH_STOP_SIGNAL_USER_COUNT; i++) {
        if (__atomic_load_n(&users[i], __ATOMIC_ACQUIRE) != NULL) return true;
    }
    return false;
}

/// Whether the handler runs on a thread's own stack: threads share an alternate one, or are offered
/// one because theirs may be too small.
static bool stays_on_stack(void) {
    return __atomic_load_n(&epitaph_capture_settings_now.shares_alternate_stacks,
                           __ATOMIC_ACQUIRE) != 0 ||
           __atomic_load_n(&users[EPITAPH_STOP_SIGNAL_OFFERS], __ATOMIC_ACQUIRE) != NULL;
}

static bool install(void) {
    epitaph_kernel_sigaction action = epitaph_signal_make_action(
        (void *)epitaph_stop_signal_handle, SA_RESTART | (stays_on_stack() ? 0 : SA_ONSTACK));
    epitaph_kernel_sigaction present;
    if (action.restorer == NULL && action.flags == 0) return false;
    int signal = epitaph_capture_settings_now.stop_signal;
    if (epitaph_sys_sigaction(signal, &action, &present) < 0) return false;
    if (present.handler != action.handler && !epitaph_delivery_is_thunk(present.handler)) {
        epitaph_bytes_copy(&previous_action, &present, sizeof present);
    }
    return true;
}

/// For a program's signal that is passed on to it.
static void put_back(void) {
    lock();
    if (has_users()) {
        install();
    } else {
        epitaph_sys_sigaction(epitaph_capture_settings_now.stop_signal, &previous_action, NULL);
    }
    unlock();
}

static void pass_on(int signal, siginfo_t *info, ucontext_t *context) {
    static const epitaph_delivery_owner self = {epitaph_stop_signal_handle, put_back, NULL};
    epitaph_kernel_sigaction previous;
    epitaph_bytes_copy(&previous, &previous_action, sizeof previous);
    if (epitaph_stop_signal_is_own(info) || previous.handler == (void *)SIG_IGN) return;
    if (previous.handler == (void *)SIG_DFL) {
        epitaph_default_action_perform(signal, info, context);
    } else {
        epitaph_signal_deliver(&previous, signal, info, context, &self);
    }
}

static void epitaph_stop_signal_handle(int signal, siginfo_t *info, void *context) {
    epitaph_registers_allow_unaligned();
    epitaph_stop_signal_handler of_timer = __atomic_load_n(&timer_handler, __ATOMIC_ACQUIRE);
    if (of_timer != NULL && is_of_own_timer(info)) {
        of_timer(info, context);
        return;
    }
    bool is_kept = keep(info);
    for (int i = 0; i < EPITAPH_STOP_SIGNAL_USER_COUNT; i++) {
        epitaph_stop_signal_handler handler = __atomic_load_n(&users[i], __ATOMIC_ACQUIRE);
        if (handler != NULL && handler(info, context)) return;
    }
    if (!is_kept) pass_on(signal, info, context);
}

bool epitaph_stop_signal_is_at_entry(const ucontext_t *context) {
    return epitaph_registers_instruction_pointer(context) == (uint64_t)epitaph_stop_signal_handle;
}

bool epitaph_stop_signal_take(epitaph_stop_signal_user user, epitaph_stop_signal_handler handler) {
    lock();
    __atomic_store_n(&users[user], handler, __ATOMIC_RELEASE);
    // Also with other users: the program may have installed another handler.
    bool is_installed = install();
    if (!is_installed) __atomic_store_n(&users[user], NULL, __ATOMIC_RELEASE);
    unlock();
    return is_installed;
}

void epitaph_stop_signal_give_back(epitaph_stop_signal_user user) {
    int signal = epitaph_capture_settings_now.stop_signal;
    epitaph_kernel_sigaction present;
    lock();
    __atomic_store_n(&users[user], NULL, __ATOMIC_RELEASE);
    if (!has_users() && epitaph_sys_sigaction(signal, NULL, &present) == 0 &&
        present.handler == (void *)epitaph_stop_signal_handle) {
        epitaph_sys_sigaction(signal, &previous_action, NULL);
    }
    unlock();
}

siginfo_t epitaph_stop_request_make(int signal, const void *mark) {
    siginfo_t info;
    epitaph_bytes_zero(&info, sizeof info);
    info.si_signo = signal;
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = (void *)(uintptr_t)mark;
    return info;
}

long epitaph_stop_signal_send(int32_t pid, int32_t tid) {
    int signal = epitaph_capture_settings_now.stop_signal;
    siginfo_t info = epitaph_stop_request_make(signal, &request_mark);
    long result = epitaph_sys_tgsigqueueinfo(pid, tid, signal, &info);
    if (result == 0 || result == -ESRCH) return result;
    // A sandbox that was there at the start.
    __atomic_store_n(&has_sent_unmarked, 1, __ATOMIC_RELEASE);
    return epitaph_sys_tgkill(pid, tid, signal);
}

const void *epitaph_stop_signal_timer_value(void) {
    return &timer_mark;
}

void epitaph_stop_signal_set_timer_handler(epitaph_stop_signal_handler handler) {
    __atomic_store_n(&timer_handler, handler, __ATOMIC_RELEASE);
}
