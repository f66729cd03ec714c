// SPDX-License-Identifier: Apache-2.0
//
// exit(3) and quick_exit(3) mark the armed file as a clean end. Marking makes no system call
// (memory store, vdso clock) unless a thread has crashed, because a seccomp filter of the program
// could kill it for one.

#include "endings/endings.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/// Two seconds: most captures are over, and the process is, too.
enum { CRASH_PAUSE_US = 1000, CRASH_PAUSE_LIMIT = 2000 };

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

/// Whether a thread has crashed: it has the armed file, or its capture has. A live dump has not.
/// A child of vfork(2) sees its parent's crash, but must not wait: the capture waits for the
/// thread that waits for the child.
static bool is_dying(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (__atomic_load_n(&settings->has_new_filters, __ATOMIC_ACQUIRE) != 0) return false;
    uint32_t state = __atomic_load_n(&settings->dump_file.state, __ATOMIC_ACQUIRE);
    bool has_crash = state == EPITAPH_FILE_TAKEN ||
                     (state == EPITAPH_FILE_CLOSED && epitaph_capture_is_going_on());
    return has_crash && settings->dump_file.owner_pid == getpid();
}

/// What the program has survived is no crash. But without us a thread that crashes ends the process
/// at once: this one must not end it otherwise before the other has stopped it.
static void settle(void) {
    int error_number = errno;
    epitaph_held_settle_quietly(true);
    for (int pause = 0; pause < CRASH_PAUSE_LIMIT && is_dying(); pause++)
        usleep(CRASH_PAUSE_US);
    // That one's fault may have been repaired.
    epitaph_held_settle_quietly(true);
    errno = error_number;
}

EPITAPH_RUN_IN_CHILDREN static void mark(void) {
    // A forked child must not mark its parent's file.
    if (!is_watching || !epitaph_process_is_owner()) return;
    settle();
    // The end of a forked child with its own file is not reported.
    if (epitaph_capture_settings_now.is_handed_out) return;
    epitaph_end_mark(__atomic_load_n(&noted_displaced_signals, __ATOMIC_ACQUIRE));
}

EPITAPH_RUN_IN_CHILDREN void epitaph_exit_settle(void) {
    const epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    // Nothing has happened. Asked first, because a child pays a page fault for the owner's mark.
    if (__atomic_load_n(&file->state, __ATOMIC_ACQUIRE) == EPITAPH_FILE_ARMED) return;
    if (epitaph_process_is_owner()) settle();
}

void epitaph_exit_watch(bool watches) {
    static bool is_registered;
    is_watching = watches;
    if (!watches || is_registered) return;
    // Cannot be undone, so register once. Without memory, a normal end counts as a kill.
    is_registered = atexit(mark) == 0 && at_quick_exit(mark) == 0;
}
