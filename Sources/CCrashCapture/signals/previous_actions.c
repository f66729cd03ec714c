// SPDX-License-Identifier: Apache-2.0
//
// The previous action of each signal, from before ours, and the later action: of a signal whose
// handler of ours was displaced and put back since, or that the program installed while its actions
// were virtual.

#include "signals/previous_actions.h"

#include "epitaph_previous_actions.h"
#include "epitaph_settings.h"
#include "epitaph_signal_set.h"
#include "system/bytes.h"
#include "system/sys.h"

#include <signal.h>

enum { READ_LIMIT = 16 };

_Static_assert(sizeof(epitaph_kernel_sigaction) ==
                   sizeof epitaph_capture_settings_now.previous_actions[0],
               "previous_actions holds kernel actions");
_Static_assert(sizeof(epitaph_kernel_sigaction) ==
                   sizeof epitaph_capture_settings_now.later_actions[0][0],
               "later_actions holds kernel actions");

static epitaph_kernel_sigaction *previous(int signal) {
    return (epitaph_kernel_sigaction *)epitaph_capture_settings_now.previous_actions[signal];
}

static bool has_later(int signal) {
    uint64_t signals =
        __atomic_load_n(&epitaph_capture_settings_now.later_signals, __ATOMIC_ACQUIRE);
    return epitaph_signals_have(signals, signal);
}

static void set_has_later(int signal, bool has_later) {
    uint64_t signals = epitaph_capture_settings_now.later_signals & ~epitaph_signal_bit(signal);
    if (has_later) signals |= epitaph_signal_bit(signal);
    __atomic_store_n(&epitaph_capture_settings_now.later_signals, signals, __ATOMIC_RELEASE);
}

static bool is_second(int signal) {
    uint64_t signals =
        __atomic_load_n(&epitaph_capture_settings_now.later_is_second, __ATOMIC_ACQUIRE);
    return epitaph_signals_have(signals, signal);
}

/// A place is written only while it does not count, and a thread that reads it would have to sleep
/// for two changes; then it reads again.
static void read_later(int signal, epitaph_kernel_sigaction *action) {
    for (int i = 0; i < READ_LIMIT; i++) {
        bool second = is_second(signal);
        const void *place = epitaph_capture_settings_now.later_actions[signal][second];
        epitaph_bytes_copy(action, place, sizeof *action);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (is_second(signal) == second) return;
    }
}

void epitaph_signal_set_later(int signal, const epitaph_kernel_sigaction *action) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    bool second = !is_second(signal);
    epitaph_bytes_copy(settings->later_actions[signal][second], action, sizeof *action);
    uint64_t signals = settings->later_is_second ^ epitaph_signal_bit(signal);
    __atomic_store_n(&settings->later_is_second, signals, __ATOMIC_RELEASE);
    set_has_later(signal, true);
}

long epitaph_signal_remember_previous(int signal) {
    long result = epitaph_sys_sigaction(signal, NULL, previous(signal));
    if (result < 0) return result;
    return previous(signal)->handler == (void *)SIG_IGN ? 0 : 1;
}

long epitaph_signal_remember_later(int signal) {
    epitaph_kernel_sigaction present;
    long result = epitaph_sys_sigaction(signal, NULL, &present);
    if (result < 0) return result;
    if (present.handler == (void *)SIG_IGN) return 0;
    epitaph_signal_set_later(signal, &present);
    return 1;
}

void epitaph_signal_forget_later(int signal) {
    if (has_later(signal)) set_has_later(signal, false);
}

uint64_t epitaph_signal_previous_handler(int signal) {
    return (uint64_t)previous(signal)->handler;
}

epitaph_kernel_sigaction epitaph_signal_next_installed(int signal) {
    epitaph_kernel_sigaction action;
    if (has_later(signal)) {
        read_later(signal, &action);
    } else {
        epitaph_bytes_copy(&action, previous(signal), sizeof action);
    }
    return action;
}

epitaph_kernel_sigaction epitaph_signal_previous_action(int signal) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, previous(signal), sizeof action);
    if (epitaph_signals_have(epitaph_capture_settings_now.replaced_signals, signal)) {
        epitaph_bytes_zero(&action, sizeof action);
    }
    return action;
}

epitaph_kernel_sigaction epitaph_signal_next_action(int signal) {
    if (!has_later(signal)) return epitaph_signal_previous_action(signal);
    return epitaph_signal_next_installed(signal);
}

void epitaph_signal_forget_next(int signal) {
    // get_signal, kernel/signal.c: flags and mask stay.
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    next.handler = (void *)SIG_DFL;
    if (has_later(signal)) {
        epitaph_signal_set_later(signal, &next);
    } else {
        epitaph_bytes_copy(previous(signal), &next, sizeof next);
    }
}
