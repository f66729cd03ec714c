// SPDX-License-Identifier: Apache-2.0
//
// Where a crash begins. One thread of the process captures; others that crash meanwhile become part
// of its dump.

#include "capture.h"
#include "handover.h"
#include "memory.h"
#include "signals.h"
#include "sys.h"
#include "thread_stop.h"

/// A thread that crashed second waits this long for the first one's capture to end the process.
static const uint64_t other_capture_timeout_ns = 20ull * 1000000000;

/// Process and thread id of the thread that captures; 0 while none does. Both, because a child made
/// by fork(2) or vfork(2) in the middle of a capture finds its parent's value here.
static uint64_t owner;
/// Faults of the handler itself in this capture.
static uint32_t nested_faults;

/// The fault that was passed on to an earlier handler last: one that comes back was not dealt with,
/// and one report of it is enough.
static struct {
    int signal;
    uint64_t instruction_pointer;
    uint64_t stack_pointer;
} passed_on;

static uint64_t self(void) {
    return (uint64_t)(uint32_t)epitaph_sys_getpid() << 32 | (uint32_t)epitaph_sys_gettid();
}

static bool is_of_this_process(uint64_t thread) {
    return thread >> 32 == (uint32_t)epitaph_sys_getpid();
}

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
        if (!is_armed_process) __atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
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
    __atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
    epitaph_signal_call_earlier(signal, info, context);
}

static void handle_first(epitaph_capture *capture, int signal, siginfo_t *info,
                         ucontext_t *context) {
    nested_faults = 0;
    capture->signal = signal;
    capture->info = info;
    capture->context = context;
    if (!is_passed_on_again(signal, context)) epitaph_capture_run(capture);
    pass_on(capture, signal, info, context);
}

/// The handler itself was hit. The first time what was written is sealed; then the process dies of
/// the first signal.
static void handle_nested(epitaph_capture *capture, const siginfo_t *info) {
    if (nested_faults++ == 0) epitaph_capture_break_off(capture, (uint64_t)info->si_addr);
    epitaph_signal_die_now(capture->signal, capture->info);
}

void epitaph_handle_signal(int signal, siginfo_t *info, void *context) {
    if (epitaph_handover(signal, info, context, __builtin_frame_address(0))) return;
    epitaph_capture *capture = epitaph_capture_now;
    uint64_t me = self();
    for (;;) {
        uint64_t present = 0;
        if (__atomic_compare_exchange_n(&owner, &present, me, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            handle_first(capture, signal, info, context);
            epitaph_handover_end(context);
            return;
        }
        if (present == me) handle_nested(capture, info);
        if (!is_of_this_process(present)) {
            __atomic_compare_exchange_n(&owner, &present, 0, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE);
            continue;
        }
        epitaph_thread_wait_in_place(capture, context, other_capture_timeout_ns);
        if (__atomic_load_n(&owner, __ATOMIC_ACQUIRE) == present) {
            // It neither ended the process nor let go: no report of this crash, but the right
            // death.
            epitaph_signal_take_default(signal, info, context);
            return;
        }
    }
}
