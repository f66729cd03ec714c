// SPDX-License-Identifier: Apache-2.0
//
// A timer of the capturing thread that sends the stop signal.

#include "capture/capture.h"

#include "signals/actions.h"

/// For each section still to be written after the deadline.
static const uint64_t grace_ns = 500ull * 1000000;

static bool bark(const siginfo_t *info, ucontext_t *context) {
    epitaph_capture *capture = epitaph_capture_now();
    (void)info;
    (void)context;
    if (epitaph_sys_gettid() != capture->tid) return true;
    capture->is_out_of_time = true;
    epitaph_section_break_off(capture, EPITAPH_WHY_OUT_OF_TIME, 0);
    return true;
}

void epitaph_watchdog_start(epitaph_capture *capture, uint64_t timeout_ns) {
    int signal = epitaph_capture_settings_now.stop_signal;
    // Wrappers repeat interrupted system calls, unless the section is left.
    const epitaph_kernel_timer timer = {
        .tid = capture->tid,
        .signal = signal,
        .first_ns = timeout_ns,
        .interval_ns = grace_ns,
        .value = epitaph_stop_signal_timer_value(),
    };
    epitaph_stop_signal_set_timer_handler(bark);
    if (epitaph_sys_timer_start(&capture->watchdog, &timer) < 0) {
        capture->watchdog = -1;
        return;
    }
    uint64_t mask = epitaph_signal_bit(signal);
    // A capture that starts over goes on with it.
    if (epitaph_stop_signal_keep_others(capture->tid)) capture->keeps_signals = true;
    epitaph_sys_sigprocmask(SIG_UNBLOCK, &mask, NULL);
    epitaph_sys_sigprocmask(SIG_BLOCK, NULL, &capture->signal_mask);
}

void epitaph_watchdog_stop(epitaph_capture *capture) {
    if (capture->watchdog < 0) return;
    epitaph_sys_timer_delete(capture->watchdog);
    capture->watchdog = -1;
    uint64_t mask = epitaph_signal_bit(epitaph_capture_settings_now.stop_signal);
    epitaph_sys_sigprocmask(SIG_BLOCK, &mask, NULL);
    if (capture->keeps_signals) epitaph_stop_signal_give_kept(capture->may_survive);
    capture->keeps_signals = false;
}
