// SPDX-License-Identifier: Apache-2.0

#include "watchdog.h"

#include "section.h"
#include "sys.h"

/// After the deadline each section that is still to be written gets this long.
static const uint64_t grace_ns = 500ull * 1000000;

void epitaph_watchdog_start(epitaph_capture *capture) {
    int signal = epitaph_capture_settings_now.stop_signal;
    uint64_t timeout_ns = epitaph_capture_settings_now.limits.capture_timeout_ns;
    // A system call the timer interrupts is made again by its wrapper, unless the section is left.
    if (epitaph_sys_timer_start(&capture->watchdog, capture->tid, signal, timeout_ns, grace_ns) <
        0) {
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
