// SPDX-License-Identifier: Apache-2.0
//
// Where a crash begins. One thread of the process captures; others that crash meanwhile become part
// of its dump.

#include "capture.h"
#include "owner.h"
#include "section.h"
#include "signals.h"
#include "stack_switch.h"
#include "sys.h"
#include "thread_stop.h"

/// A thread that crashed second waits this long for the first one's capture to end the process.
static const uint64_t other_capture_timeout_ns = 20ull * 1000000000;

/// Faults of the handler itself, outside of any section.
static uint32_t nested_faults;

/// The fault that was passed on to an earlier handler last: one that comes back was not dealt with,
/// and one report of it is enough.
static struct {
    int signal;
    uint64_t instruction_pointer;
    uint64_t stack_pointer;
} passed_on;

static bool is_passed_on_again(int signal, const ucontext_t *context) {
    return passed_on.signal == signal &&
           passed_on.instruction_pointer == epitaph_registers_instruction_pointer(context) &&
           passed_on.stack_pointer == epitaph_registers_stack_pointer(context);
}

static void pass_on(epitaph_capture *capture, int signal, siginfo_t *info, ucontext_t *context) {
    void *earlier = epitaph_signal_previous_action(signal).handler;
    if (earlier == (void *)SIG_DFL) {
        // In a child that shares our memory (vfork) the parent needs the handler again.
        bool is_armed_process = capture->pid == epitaph_capture_settings_now.dump_file.owner_pid;
        if (!is_armed_process) {
            epitaph_owner_release();
            epitaph_emergency_stack_release();
        }
        epitaph_signal_take_default(signal, info, context);
        return;
    }
    passed_on.signal = signal;
    passed_on.instruction_pointer = epitaph_registers_instruction_pointer(context);
    passed_on.stack_pointer = epitaph_registers_stack_pointer(context);
    // The earlier handler may recover, so everything is made ready for the next crash before it is
    // called.
    epitaph_threads_release(capture);
    epitaph_capture_rearm();
    epitaph_owner_release();
    epitaph_signal_call_earlier(signal, info, context);
}

static void handle_first(epitaph_capture *capture, int signal, siginfo_t *info,
                         ucontext_t *context) {
    nested_faults = 0;
    capture->is_live = false;
    capture->has_begun = false;
    capture->is_restarted = false;
    capture->signal = signal;
    capture->info = info;
    capture->context = context;
    if (!is_passed_on_again(signal, context)) epitaph_capture_run(capture);
    pass_on(capture, signal, info, context);
}

/// The handler itself was hit: the section it was in is given up and the next one begins. With no
/// section to give up what was written is sealed, or the capture starts again when it had not come
/// to its first; the process dies of the first signal. In a
/// live dump there was none: returns, and the fault is a crash of its own.
static void handle_nested(epitaph_capture *capture, const siginfo_t *info) {
    epitaph_section_break_off(capture, EPITAPH_WHY_SECOND_FAULT, (uint64_t)info->si_addr);
    if (capture->is_live) {
        epitaph_threads_release(capture);
        epitaph_owner_release();
        return;
    }
    if (nested_faults++ == 0) {
        if (capture->has_begun) {
            epitaph_writer_flush(&capture->writer);
            epitaph_dump_file_seal(&capture->file);
        } else {
            capture->is_restarted = true;
            capture->broken_subject = (uint64_t)info->si_addr;
            epitaph_capture_run(capture);
        }
    }
    epitaph_signal_die_now(capture->signal, capture->info);
}

void epitaph_handle_signal_here(int signal, siginfo_t *info, void *context) {
    epitaph_capture *capture = epitaph_capture_now;
    for (;;) {
        switch (epitaph_owner_try_claim()) {
        case EPITAPH_OWNER_IS_NEW: handle_first(capture, signal, info, context); return;
        case EPITAPH_OWNER_IS_SELF: handle_nested(capture, info); continue;
        case EPITAPH_OWNER_IS_OTHER: break;
        }
        // It may let go: a live dump, or a crash that an earlier handler recovered from. If it does
        // not this crash goes unreported, but the death is the right one.
        if (!epitaph_thread_wait_in_place(capture, context, other_capture_timeout_ns)) {
            epitaph_signal_take_default(signal, info, context);
            return;
        }
    }
}
