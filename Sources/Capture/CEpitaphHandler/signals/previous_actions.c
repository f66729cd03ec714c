// SPDX-License-Identifier: Apache-2.0
//
// Each signal's previous action and its later one, epitaph_signals.h.

#include "signals/actions.h"

#include "epitaph_settings.h"
#include "epitaph_signals.h"

#include <errno.h>

_Static_assert(sizeof(epitaph_kernel_sigaction) ==
                   sizeof epitaph_capture_settings_now.previous_actions[0],
               "previous_actions holds kernel actions");
_Static_assert(sizeof(epitaph_kernel_sigaction) == EPITAPH_LATER_ACTION_WORDS * sizeof(uint64_t) &&
                   offsetof(epitaph_kernel_sigaction, handler) == 0,
               "a later action holds a kernel action");

static epitaph_kernel_sigaction *previous(int signal) {
    return (epitaph_kernel_sigaction *)epitaph_capture_settings_now.previous_actions[signal];
}

static epitaph_later_action *later(int signal) {
    return &epitaph_capture_settings_now.later_actions[signal];
}

static bool read_later(int signal, epitaph_kernel_sigaction *action) {
    uint64_t words[EPITAPH_LATER_ACTION_WORDS];
    if (!epitaph_later_action_read(later(signal), words)) return false;
    epitaph_bytes_copy(action, words, sizeof *action);
    return true;
}

bool epitaph_signal_set_later(int signal, const epitaph_kernel_sigaction *action) {
    uint64_t words[EPITAPH_LATER_ACTION_WORDS];
    epitaph_bytes_copy(words, action, sizeof words);
    return epitaph_later_action_set(later(signal), words);
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
    return epitaph_signal_set_later(signal, &present) ? 1 : -EAGAIN;
}

void epitaph_signal_forget_later(int signal) {
    epitaph_later_action_forget(later(signal));
}

uint64_t epitaph_signal_previous_handler(int signal) {
    return (uint64_t)previous(signal)->handler;
}

epitaph_kernel_sigaction epitaph_signal_next_installed(int signal) {
    epitaph_kernel_sigaction action;
    if (!read_later(signal, &action)) {
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
    epitaph_kernel_sigaction action;
    return read_later(signal, &action) ? action : epitaph_signal_previous_action(signal);
}

void epitaph_signal_forget_next(int signal) {
    // Like get_signal, kernel/signal.c: flags and mask stay.
    if (epitaph_later_action_reset(later(signal))) return;
    __atomic_store_n(&previous(signal)->handler, (void *)SIG_DFL, __ATOMIC_RELAXED);
}
