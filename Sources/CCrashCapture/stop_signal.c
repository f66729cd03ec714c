// SPDX-License-Identifier: Apache-2.0

#include "stop_signal.h"

#include "bytes.h"
#include "deadline.h"
#include "delivery.h"
#include "epitaph_capture.h"
#include "registers.h"
#include "signals.h"
#include "sys.h"
#include "watchdog.h"

static epitaph_stop_signal_handler users[EPITAPH_STOP_SIGNAL_USER_COUNT];
static epitaph_kernel_sigaction earlier_action;

/// Held for two system calls. A crash does not wait long for a thread that was stopped in between.
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

/// Ours, asked too late or twice. With RLIMIT_SIGPENDING used up the kernel loses the siginfo and
/// tells of process 0, kernel/signal.c.
static bool is_own(const siginfo_t *info) {
    if (epitaph_watchdog_sent(info)) return true;
    if (info->si_code == SI_TKILL) return info->si_pid == epitaph_sys_getpid();
    return info->si_code == SI_USER && info->si_pid == 0;
}

static void pass_on(int signal, siginfo_t *info, ucontext_t *context) {
    epitaph_kernel_sigaction earlier;
    epitaph_bytes_copy(&earlier, &earlier_action, sizeof earlier);
    if (is_own(info) || earlier.handler == (void *)SIG_IGN) return;
    if (earlier.handler == (void *)SIG_DFL) {
        epitaph_signal_take_default(signal, info, context);
    } else {
        epitaph_signal_deliver(&earlier, signal, info, context);
    }
}

void epitaph_stop_signal_handle(int signal, siginfo_t *info, void *context) {
    epitaph_registers_allow_unaligned();
    for (int i = 0; i < EPITAPH_STOP_SIGNAL_USER_COUNT; i++) {
        epitaph_stop_signal_handler handler = __atomic_load_n(&users[i], __ATOMIC_ACQUIRE);
        if (handler != NULL && handler(info, context)) return;
    }
    pass_on(signal, info, context);
}

static bool has_users(void) {
    for (int i = 0; i < EPITAPH_STOP_SIGNAL_USER_COUNT; i++) {
        if (__atomic_load_n(&users[i], __ATOMIC_ACQUIRE) != NULL) return true;
    }
    return false;
}

static bool install(void) {
    epitaph_kernel_sigaction action =
        epitaph_signal_make_action((void *)epitaph_stop_signal_handle, SA_ONSTACK | SA_RESTART);
    epitaph_kernel_sigaction present;
    if (action.restorer == NULL && action.flags == 0) return false;
    int signal = epitaph_capture_settings_now.stop_signal;
    if (epitaph_sys_sigaction(signal, &action, &present) < 0) return false;
    if (present.handler != action.handler && !epitaph_delivery_is_thunk(present.handler)) {
        epitaph_bytes_copy(&earlier_action, &present, sizeof present);
    }
    return true;
}

bool epitaph_stop_signal_take(epitaph_stop_signal_user user, epitaph_stop_signal_handler handler) {
    lock();
    __atomic_store_n(&users[user], handler, __ATOMIC_RELEASE);
    // Also when there are others: the program may have put another handler in meanwhile.
    bool is_installed = install();
    if (!is_installed) __atomic_store_n(&users[user], NULL, __ATOMIC_RELEASE);
    unlock();
    return is_installed;
}

void epitaph_stop_signal_put_back(void) {
    lock();
    if (has_users()) {
        install();
    } else {
        epitaph_sys_sigaction(epitaph_capture_settings_now.stop_signal, &earlier_action, NULL);
    }
    unlock();
}

void epitaph_stop_signal_give_back(epitaph_stop_signal_user user) {
    int signal = epitaph_capture_settings_now.stop_signal;
    epitaph_kernel_sigaction present;
    lock();
    __atomic_store_n(&users[user], NULL, __ATOMIC_RELEASE);
    if (!has_users() && epitaph_sys_sigaction(signal, NULL, &present) == 0 &&
        present.handler == (void *)epitaph_stop_signal_handle) {
        epitaph_sys_sigaction(signal, &earlier_action, NULL);
    }
    unlock();
}
