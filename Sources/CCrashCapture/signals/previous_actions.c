// SPDX-License-Identifier: Apache-2.0
//
// The previous action of each signal, from before ours, and the later action of a signal whose
// handler of ours was displaced and put back since.

#include "signals/previous_actions.h"

#include "epitaph_previous_actions.h"
#include "epitaph_settings.h"
#include "epitaph_signal_set.h"
#include "system/bytes.h"
#include "system/sys.h"

#include <signal.h>

_Static_assert(sizeof(epitaph_kernel_sigaction) ==
                   sizeof epitaph_capture_settings_now.previous_actions[0],
               "previous_actions holds kernel actions");
_Static_assert(sizeof(epitaph_kernel_sigaction) ==
                   sizeof epitaph_capture_settings_now.later_actions[0],
               "later_actions holds kernel actions");

static epitaph_kernel_sigaction *previous(int signal) {
    return (epitaph_kernel_sigaction *)epitaph_capture_settings_now.previous_actions[signal];
}

static epitaph_kernel_sigaction *later(int signal) {
    return (epitaph_kernel_sigaction *)epitaph_capture_settings_now.later_actions[signal];
}

static bool has_later(int signal) {
    return epitaph_signals_have(epitaph_capture_settings_now.later_signals, signal);
}

/// Written at quiet time, by one thread at a time.
static void set_has_later(int signal, bool has_later) {
    uint64_t signals = epitaph_capture_settings_now.later_signals & ~epitaph_signal_bit(signal);
    if (has_later) signals |= epitaph_signal_bit(signal);
    __atomic_store_n(&epitaph_capture_settings_now.later_signals, signals, __ATOMIC_RELEASE);
}

static epitaph_kernel_sigaction *next(int signal) {
    return has_later(signal) ? later(signal) : previous(signal);
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
    epitaph_bytes_copy(later(signal), &present, sizeof present);
    set_has_later(signal, true);
    return 1;
}

void epitaph_signal_forget_later(int signal) {
    if (has_later(signal)) set_has_later(signal, false);
}

uint64_t epitaph_signal_previous_handler(int signal) {
    return (uint64_t)previous(signal)->handler;
}

const epitaph_kernel_sigaction *epitaph_signal_next_installed(int signal) {
    return next(signal);
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
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, later(signal), sizeof action);
    return action;
}

void epitaph_signal_forget_next(int signal) {
    epitaph_bytes_zero(next(signal), sizeof(epitaph_kernel_sigaction));
}
