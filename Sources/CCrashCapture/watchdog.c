// SPDX-License-Identifier: Apache-2.0

#include "watchdog.h"

#include "section.h"
#include "sys.h"

/// After the deadline each section that is still to be written gets this long.
static const uint64_t grace_ns = 500ull * 1000000;

/// Its address comes back in the signals of our timer. A profiler's timers have the same code and
/// the same signal.
static const char mark;

bool epitaph_watchdog_sent(const siginfo_t *info) {
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == (const void *)&mark;
}

void epitaph_watchdog_start(epitaph_capture *capture, uint64_t timeout_ns) {
    int signal = epitaph_capture_settings_now.stop_signal;
    // A system call the timer interrupts is made again by its wrapper, unless the section is left.
    const epitaph_kernel_timer timer = {
        .tid = capture->tid,
        .signal = signal,
        .first_ns = timeout_ns,
        .interval_ns = grace_ns,
        .value = &mark,
    };
    if (epitaph_sys_timer_start(&capture->watchdog, &timer) < 0) {
        capture->watchdog = -1;
        return;
    }
    uint64_t mask = 1ull << (signal - 1);
    epitaph_sys_sigprocmask(SIG_UNBLOCK, &mask, NULL);
    epitaph_sys_sigprocmask(SIG_BLOCK, NULL, &capture->signal_mask);
}

void epitaph_watchdog_stop(epitaph_capture *capture) {
    if (capture->watchdog < 0) return;
    epitaph_sys_timer_delete(capture->watchdog);
    capture->watchdog = -1;
    uint64_t mask = 1ull << (epitaph_capture_settings_now.stop_signal - 1);
    epitaph_sys_sigprocmask(SIG_BLOCK, &mask, NULL);
}

void epitaph_watchdog_bark(epitaph_capture *capture) {
    capture->is_out_of_time = true;
    epitaph_section_break_off(capture, EPITAPH_WHY_OUT_OF_TIME, 0);
}
