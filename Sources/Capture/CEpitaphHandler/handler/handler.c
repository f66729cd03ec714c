// SPDX-License-Identifier: Apache-2.0
//
// Entry of a crash. One thread captures; others that crash meanwhile become part of its dump.

#include "handler/arrival.h"

#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "signals/actions.h"
#include "threads/threads.h"

#include <errno.h>

/// SYS_USER_DISPATCH of Linux's asm-generic/siginfo.h.
enum { EPITAPH_SYS_USER_DISPATCH = 2 };

/// Of signals that have our crash handler.
static const epitaph_delivery_owner crash_owner = {epitaph_handle_signal, NULL,
                                                   epitaph_held_note_return};

/// To a handler of the program. A fault that a runtime repairs is handed over without the kernel:
/// it costs half.
static uint64_t pass(const epitaph_kernel_sigaction *action, epitaph_arrival *arrived) {
    uint64_t number = 0;
    if (arrived->kernel_frame != NULL && arrived->info->si_code > 0) {
        number = epitaph_signal_hand_over(action, arrived->signal, arrived->info, arrived->context,
                                          arrived->kernel_frame, &crash_owner, &arrived->move);
    }
    if (number != 0) return number;
    return epitaph_signal_deliver(action, arrived->signal, arrived->info, arrived->context,
                                  &crash_owner);
}

static void perform(const epitaph_kernel_sigaction *action, epitaph_arrival *arrived) {
    if (!epitaph_signal_action_is_of_program(action)) {
        if (epitaph_signal_is_ignored_by_init(arrived->signal, arrived->info)) return;
        if (arrived->was_delivered) epitaph_arrival_prepare_end(arrived);
        epitaph_default_action_perform(arrived->signal, arrived->info, arrived->context);
    } else if (arrived->is_kernel_entry) {
        if (arrived->was_delivered) epitaph_arrival_prepare_again(arrived);
        uint64_t number = pass(action, arrived);
        epitaph_held_is_delivered(number, arrived->context);
    } else {
        epitaph_signal_call(action, arrived->signal, arrived->info, arrived->context);
    }
}

/// Nothing happens to process 1, which did not crash then. What it sends itself with tgkill(2) may
/// be abort(3), which has other means.
static bool has_no_effect(const epitaph_arrival *arrived) {
    bool may_be_abort = arrived->signal == SIGABRT && arrived->info->si_code == SI_TKILL;
    return !may_be_abort &&
           epitaph_signal_next_action(arrived->signal).handler == (void *)SIG_DFL &&
           epitaph_signal_is_ignored_by_init(arrived->signal, arrived->info);
}

static void perform_next(epitaph_arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    perform(&action, arrived);
}

static void perform_previous(epitaph_arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_previous_action(arrived->signal);
    perform(&action, arrived);
}

/// Whether no handler of the program will run, and it dies.
static bool is_deadly(const epitaph_kernel_sigaction *action, const epitaph_arrival *arrived) {
    if (action->handler == (void *)SIG_DFL)
        return !epitaph_signal_is_ignored_by_init(arrived->signal, arrived->info);
    return epitaph_signal_action_is_of_program(action) &&
           !epitaph_signal_has_room(action, arrived->signal, arrived->info, arrived->context);
}

static void pass_on(epitaph_capture *capture, epitaph_arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    if (is_deadly(&action, arrived)) {
        if (capture->may_survive) epitaph_capture_file_seal(capture);
        // The parent of a vfork child needs the handler again.
        bool is_armed_process = capture->pid == epitaph_capture_settings_now.dump_file.owner_pid;
        if (!is_armed_process) {
            epitaph_owner_release();
            epitaph_emergency_stack_release();
        }
    } else {
        // The program may live on, so prepare for the next crash first.
        epitaph_threads_release(capture);
        if (!epitaph_capture_hold(capture)) epitaph_capture_rearm();
        epitaph_owner_release();
    }
    perform(&action, arrived);
}

/// Whether a handler of the program gets the signal, which may recover, or process 1 sent it.
static bool may_survive(const epitaph_arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    bool has_default = action.handler == (void *)SIG_DFL;
    return arrived->is_kernel_entry &&
           (has_default || epitaph_signal_action_is_of_program(&action)) &&
           !is_deadly(&action, arrived);
}

static void handle_first(epitaph_capture *capture, epitaph_arrival *arrived) {
    bool may_recover = may_survive(arrived);
    bool has_file = arrived->has_file || !may_recover || epitaph_arrival_store_record(arrived) ||
                    (epitaph_capture_arm_child() && epitaph_arrival_store_record(arrived));
    bool has_none = !epitaph_process_is_owner() && !epitaph_capture_may_inherit();
    if (!has_file && (has_none || epitaph_armed_file_is_busy())) {
        // Another thread's signal has the file, or this child has none. It is captured if it
        // becomes fatal. What an heir writes cannot be taken back, but its handler may restore the
        // default action, without our handler.
        epitaph_owner_release();
        epitaph_filters_watch();
        epitaph_arrival_forget(&arrived->mark);
        perform_next(arrived);
        return;
    }
    epitaph_arrival_begin(capture, arrived);
    capture->may_survive = may_recover;
    epitaph_capture_run(capture);
    pass_on(capture, arrived);
}

/// The handler itself faulted: abandons the section and begins the next. Outside of sections, seals
/// what was written, or starts over if no section had begun; the process dies of the first signal.
/// A live dump has no first signal: then this returns, and the fault is a crash of its own.
static void handle_nested(epitaph_capture *capture, const siginfo_t *info) {
    epitaph_section_break_off(capture, EPITAPH_WHY_SECOND_FAULT, (uint64_t)info->si_addr);
    if (capture->is_live) {
        epitaph_threads_release(capture);
        epitaph_owner_release();
        return;
    }
    if (capture->nested_faults++ == 0 && !capture->is_silent) {
        if (capture->has_begun) {
            epitaph_writer_flush(&capture->writer);
            epitaph_capture_file_seal(capture);
        } else {
            capture->is_restarted = true;
            capture->broken_subject = (uint64_t)info->si_addr;
            epitaph_capture_run(capture);
        }
    }
    epitaph_sys_silence(false);
    epitaph_signal_die_now(capture->signal, capture->info);
}

/// Passes a fault on with its record only, if the program usually repairs it.
static bool pass_on_usual(epitaph_arrival *arrived) {
    if (!epitaph_place_is_usual(arrived->signal, arrived->info, arrived->context)) return false;
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    bool is_for_program =
        arrived->is_kernel_entry && epitaph_signal_action_is_of_program(&action) &&
        !epitaph_signal_is_of_its_frame(&action, arrived->signal, arrived->info, arrived->context);
    if (!is_for_program) return false;
    if (!arrived->has_file && epitaph_held_here() != EPITAPH_HOLDS_NOTHING) return false;
    int32_t owner_pid = epitaph_capture_settings_now.dump_file.owner_pid;
    if (arrived->has_file && owner_pid != epitaph_sys_getpid()) return false;
    if (arrived->has_file) {
        epitaph_hold(EPITAPH_HOLDS_RECORD, arrived->signal, arrived->info, arrived->context);
    }
    epitaph_arrival_forget(&arrived->mark);
    perform_next(arrived);
    return true;
}

/// Where they are blocked, which takes a call to change, a fault of ours ends the process at once,
/// and not by the signal that it dies of.
static bool may_fault(const epitaph_arrival *arrived) {
    const uint64_t needed = epitaph_signal_bit(SIGSEGV) | epitaph_signal_bit(SIGBUS);
    return (epitaph_signal_blocked(arrived->context) & needed) == 0;
}

/// A filter of the program may kill for any call: stores what it can, and dies without one if it
/// can.
static void handle_silently(epitaph_capture *capture, epitaph_arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    if (arrived->has_file && may_fault(arrived) && epitaph_owner_claim_silently()) {
        epitaph_arrival_begin(capture, arrived);
        epitaph_sys_silence(true);
        epitaph_capture_run_silently(capture);
        epitaph_sys_silence(false);
        epitaph_owner_release();
    }
    if (arrived->has_file) {
        // Contains this crash, so no other thread may take it.
        bool may_recover = action.handler != (void *)SIG_DFL;
        if (may_recover) {
            epitaph_hold(EPITAPH_HOLDS_HEAD, arrived->signal, arrived->info, arrived->context);
        }
    }
    if (action.handler == (void *)SIG_DFL) {
        epitaph_default_action_perform_silently(arrived->signal, arrived->info, arrived->context);
    } else {
        // The program's handler may never return.
        epitaph_arrival_forget(&arrived->mark);
        perform(&action, arrived);
    }
}

static void capture_or_wait(epitaph_capture *capture, epitaph_arrival *arrived) {
    bool is_over = false;
    epitaph_arrival_let_first_go_first(arrived);
    while (!is_over) {
        switch (epitaph_owner_try_claim()) {
        case EPITAPH_OWNER_IS_NEW: handle_first(capture, arrived); return;
        case EPITAPH_OWNER_IS_SELF:
            if (epitaph_arrival_is_of_capture(capture, arrived)) return;
            handle_nested(capture, arrived->info);
            break;
        case EPITAPH_OWNER_IS_OTHER:
            epitaph_arrival_wait_in_place(capture, arrived, &is_over);
            break;
        }
    }
}

/// The last means of abort(3) in process 1, glibc's ABORT_INSTRUCTION: hlt on x86_64, brk on
/// aarch64.
static bool is_end_of_abort(const epitaph_arrival *arrived) {
    bool is_instruction = arrived->info->si_code == SI_KERNEL || arrived->signal == SIGTRAP;
    return is_instruction && epitaph_held_is_without_effect();
}

static void handle_fresh(epitaph_capture *capture, epitaph_arrival *arrived) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    bool is_disabled = __atomic_load_n(&settings->is_disabled, __ATOMIC_ACQUIRE) != 0;
    if (is_disabled || !epitaph_signals_have(settings->handled_signals, arrived->signal)) {
        perform_next(arrived);
        return;
    }
    if (is_end_of_abort(arrived)) {
        epitaph_held_seal();
        perform_next(arrived);
        return;
    }
    epitaph_arrival_note(&arrived->mark, arrived->signal);
    epitaph_arrival_store_record(arrived);
    if (pass_on_usual(arrived)) return;
    if (epitaph_filters_are_new()) {
        handle_silently(capture, arrived);
        epitaph_arrival_forget(&arrived->mark);
        return;
    }
    if (has_no_effect(arrived)) {
        epitaph_arrival_take_back_record(arrived);
        epitaph_arrival_forget(&arrived->mark);
        return;
    }
    if (!arrived->has_file) {
        if (epitaph_held_settle(arrived->context)) epitaph_arrival_store_record(arrived);
        if (arrived->has_file && pass_on_usual(arrived)) {
            epitaph_filters_watch();
            return;
        }
        if (!may_survive(arrived)) {
            if (epitaph_held_is_abort(arrived->signal)) {
                epitaph_arrival_forget(&arrived->mark);
                perform_next(arrived);
                return;
            }
            epitaph_held_give_way();
        }
    }
    capture_or_wait(capture, arrived);
    epitaph_arrival_forget(&arrived->mark);
}

/// The program answers its own system calls (syscall user dispatch), perhaps also each of ours: its
/// handler is called without one.
static bool pass_on_dispatched_call(int signal, siginfo_t *info, ucontext_t *context) {
    if (signal != SIGSYS || info->si_code != EPITAPH_SYS_USER_DISPATCH) return false;
    epitaph_kernel_sigaction action = epitaph_signal_next_action(signal);
    if (!epitaph_signal_action_is_of_program(&action)) return false;
    epitaph_signal_call(&action, signal, info, context);
    return true;
}

/// A filter that nobody told us of answers our own calls with SIGSYS: they fail, and the handler of
/// the signal that came first goes on.
static bool fail_refused_call(int signal, const siginfo_t *info, ucontext_t *context) {
    bool is_refused = signal == SIGSYS && info->si_code == EPITAPH_SYS_SECCOMP;
    if (!is_refused || epitaph_arrival_interrupted(context) == 0) return false;
    epitaph_registers_set_result(context, -EPERM);
    return true;
}

static const epitaph_usual_stack_move stay = {0, NULL};

/// `kernel_frame`: where the handler was entered, or NULL if it runs on another stack.
static epitaph_usual_stack_move handle(int signal, siginfo_t *info, void *context, void *entry,
                                       uint8_t *kernel_frame) {
    epitaph_registers_allow_unaligned();
    if (epitaph_guard_catch(info, context)) return stay;
    if (pass_on_dispatched_call(signal, info, context)) return stay;
    if (fail_refused_call(signal, info, context)) return stay;
    // Not a crash: the store is retried in replaced memory.
    if (epitaph_breadcrumb_file_mend(signal, info)) return stay;
    epitaph_arrival_undisguise(info);
    epitaph_capture *capture = epitaph_capture_now();
    epitaph_arrival arrived;
    arrived.signal = signal;
    arrived.info = info;
    arrived.context = context;
    arrived.frame = __builtin_frame_address(0);
    arrived.has_file = false;
    arrived.move.handler = NULL;
    arrived.move.distance = 0;
    arrived.is_kernel_entry = epitaph_registers_is_kernel_entry(info, context, entry);
    arrived.kernel_frame = kernel_frame;
    if (info->si_code <= 0) {
        // While this one finds out, the next one may come.
        epitaph_arrival_note(&arrived.mark, signal);
        bool is_met = epitaph_arrival_is_met(capture, &arrived);
        epitaph_arrival_forget(&arrived.mark);
        if (is_met) return stay;
    }
    // The handler's own fault belongs to its capture.
    if (epitaph_owner_is_interrupted(context)) handle_nested(capture, info);
    epitaph_delivery_kind kind =
        epitaph_delivery_judge(signal, info, context, arrived.is_kernel_entry);
    arrived.was_delivered = kind == EPITAPH_SIGNAL_CAME_BACK || kind == EPITAPH_SIGNAL_IS_TO_KILL;
    switch (kind) {
    case EPITAPH_SIGNAL_IS_FRESH: handle_fresh(capture, &arrived); break;
    case EPITAPH_SIGNAL_IS_ON_ITS_WAY:
    case EPITAPH_SIGNAL_CAME_BACK: perform_next(&arrived); break;
    case EPITAPH_SIGNAL_IS_TO_KILL: perform_previous(&arrived); break;
    }
    return arrived.move;
}

epitaph_usual_stack_move epitaph_handle_signal_here(int signal, siginfo_t *info, void *context,
                                                    uint8_t *entry) {
    return handle(signal, info, context, entry, entry);
}

void epitaph_handle_signal_elsewhere(int signal, siginfo_t *info, void *context, uint8_t *entry) {
    handle(signal, info, context, entry, NULL);
}
