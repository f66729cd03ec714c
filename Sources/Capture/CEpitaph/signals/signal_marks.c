// SPDX-License-Identifier: Apache-2.0
//
// Handlers that mark the file, then die of the signal. The virtual sigaction(2) hides them.

#include "signals/signals.h"

#include "base/base.h"
#include "epitaph_handler.h"
#include "epitaph_placement.h"
#include "epitaph_settings.h"

#include <string.h>
#include <unistd.h>

enum { INIT_PID = 1 };

/// The default actions replaced, with the program's flags and masks.
static EPITAPH_SPARSE struct sigaction previous[EPITAPH_SIGNAL_LIMIT];

static bool has_default(int signal, struct sigaction *present) {
    if (epitaph_real_sigaction(signal, NULL, present) != 0) return false;
    return (present->sa_flags & SA_SIGINFO) == 0 && present->sa_handler == SIG_DFL;
}

static bool is_ours(int signal) {
    struct sigaction present;
    if (epitaph_real_sigaction(signal, NULL, &present) != 0) return false;
    return (present.sa_flags & SA_SIGINFO) != 0 &&
           present.sa_sigaction == epitaph_handle_marked_signal;
}

void epitaph_signal_marks_choose(const int *signals) {
    uint64_t chosen = 0;
    struct sigaction present;
    // The kernel drops signals with the default action for process 1; with a handler it would not.
    if (getpid() == INIT_PID) signals = NULL;
    for (; signals != NULL && *signals != 0; signals++) {
        if (has_default(*signals, &present)) chosen |= epitaph_signal_bit(*signals);
    }
    epitaph_capture_settings_now.marked_signals = chosen;
}

void epitaph_signal_marks_install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = epitaph_handle_marked_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    // A fault whose signal is blocked kills the process at once.
    epitaph_signals_fill_but(&action.sa_mask, epitaph_fault_signals());
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        if (!epitaph_signals_have(epitaph_capture_settings_now.marked_signals, signal)) continue;
        // Skip signals for which the program has installed a handler since.
        if (has_default(signal, &previous[signal])) epitaph_real_sigaction(signal, &action, NULL);
    }
}

void epitaph_signal_marks_uninstall(void) {
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        if (!epitaph_signals_have(epitaph_capture_settings_now.marked_signals, signal)) continue;
        if (is_ours(signal)) epitaph_real_sigaction(signal, &previous[signal], NULL);
    }
    epitaph_capture_settings_now.marked_signals = 0;
}

int epitaph_signal_end_is_marked(int signal) {
    if (signal < 1 || signal >= EPITAPH_SIGNAL_LIMIT) return 0;
    epitaph_state_lock();
    bool is_chosen = epitaph_is_started() &&
                     epitaph_signals_have(epitaph_capture_settings_now.marked_signals, signal);
    bool is_marked = is_chosen && is_ours(signal);
    epitaph_state_unlock();
    return is_marked;
}
