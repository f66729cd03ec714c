// SPDX-License-Identifier: Apache-2.0
//
// exit(3) and quick_exit(3) mark the armed file as a clean end. Marking makes no system call
// (memory store, vdso clock), because a seccomp filter of the program could kill it for one.

#include "endings/endings.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_settings.h"

#include <stdlib.h>

static bool is_watching;
static uint64_t noted_displaced_signals;

void epitaph_end_note_displaced(uint64_t displaced_signals) {
    __atomic_store_n(&noted_displaced_signals, displaced_signals, __ATOMIC_RELEASE);
}

/// The coarse clock is a tick late at most. It needs neither a system call, which the others need
/// on some machines, nor the processor's counter, which may be forbidden: PR_SET_TSC, prctl(2).
static uint64_t now_ns(void) {
    uint64_t now = epitaph_clock_ns(CLOCK_REALTIME_COARSE);
    uint64_t launch = epitaph_capture_settings_now.facts.launch_time_ns;
    return now > launch ? now : launch;
}

void epitaph_end_mark(uint64_t displaced_signals) {
    epitaph_dump_file_mark_clean_exit(&epitaph_capture_settings_now.dump_file, now_ns(),
                                      displaced_signals);
}

static void mark(void) {
    // A forked child must not mark its parent's file.
    if (!is_watching || !epitaph_process_is_owner()) return;
    epitaph_held_settle_quietly(true);
    // The end of a forked child with its own file is not reported.
    if (epitaph_capture_settings_now.is_handed_out) return;
    epitaph_end_mark(__atomic_load_n(&noted_displaced_signals, __ATOMIC_ACQUIRE));
}

void epitaph_exit_settle(void) {
    epitaph_held_settle_quietly(true);
}

void epitaph_exit_watch(bool watches) {
    static bool is_registered;
    is_watching = watches;
    if (!watches || is_registered) return;
    // Cannot be undone, so register once. Without memory, a normal end counts as a kill.
    is_registered = atexit(mark) == 0 && at_quick_exit(mark) == 0;
}
