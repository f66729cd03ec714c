// SPDX-License-Identifier: Apache-2.0
//
// Entry of a crash. One thread captures; others that crash meanwhile become part of its dump.

#include "handler/handler.h"

#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "signals/actions.h"
#include "threads/threads.h"

/// SYS_USER_DISPATCH of Linux's asm-generic/siginfo.h.
enum { EPITAPH_SYS_USER_DISPATCH = 2 };

/// How long another crashing thread waits for the capture to end the process.
static const uint64_t other_capture_timeout_ns = 20ull * 1000000000;

/// How long the first thread may take from first record to capture.
static const uint64_t first_capture_timeout_ns = 2ull * 1000000000;
static const uint64_t first_capture_pause_ns = 100000;

/// The thread of process 1 whose own signal was captured and has no other effect.
static int32_t init_in_abort;

/// Faults of the handler outside of any section.
static uint32_t nested_faults;

/// A signal passed to us by the kernel or by a handler of the program.
typedef struct arrival {
    int signal;
    siginfo_t *info;
    ucontext_t *context;
    void *frame;
    bool is_kernel_entry;
    bool has_file;
    /// Passed on before: a fault that came again, or what a handler of the program raised.
    bool was_delivered;
    epitaph_arrival_mark mark;
} arrival;

/// Of signals that have our crash handler.
static const epitaph_delivery_owner crash_owner = {epitaph_handle_signal, NULL,
                                                   epitaph_held_note_return};

static bool is_of_program(const epitaph_kernel_sigaction *action) {
    return action->handler != (void *)SIG_DFL && action->handler != (void *)SIG_IGN;
}

static void prepare_end(const arrival *arrived);
static void prepare_again(const arrival *arrived);

static void perform(const epitaph_kernel_sigaction *action, const arrival *arrived) {
    if (!is_of_program(action)) {
        if (arrived->was_delivered) prepare_end(arrived);
        epitaph_default_action_perform(arrived->signal, arrived->info, arrived->context);
    } else if (arrived->is_kernel_entry) {
        if (arrived->was_delivered) prepare_again(arrived);
        uint64_t number = epitaph_signal_deliver(action, arrived->signal, arrived->info,
                                                 arrived->context, &crash_owner);
        epitaph_held_is_delivered(number, arrived->context);
    } else {
        epitaph_signal_call(action, arrived->signal, arrived->info, arrived->context);
    }
}

static void perform_next(const arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    perform(&action, arrived);
}

static void perform_previous(const arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_previous_action(arrived->signal);
    perform(&action, arrived);
}

/// The kernel drops signals with the default action sent to process 1. Without us it would survive,
/// or abort(3) would end it with a faulting instruction. Then it dies of that.
static void live_on_as_init(epitaph_capture *capture) {
    init_in_abort = capture->signal == SIGABRT ? capture->tid : 0;
    epitaph_threads_release(capture);
    epitaph_capture_rearm();
    epitaph_owner_release();
}

static void pass_on(epitaph_capture *capture, const arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    bool is_default = action.handler == (void *)SIG_DFL;
    if (is_default && epitaph_signal_is_ignored_by_init(arrived->signal, arrived->info)) {
        live_on_as_init(capture);
        return;
    }
    if (is_default) {
        if (capture->may_survive) epitaph_capture_file_seal(capture);
        // The parent of a vfork child needs the handler again.
        bool is_armed_process = capture->pid == epitaph_capture_settings_now.dump_file.owner_pid;
        if (!is_armed_process) {
            epitaph_owner_release();
            epitaph_emergency_stack_release();
        }
    } else {
        // The program's handler may recover, so prepare for the next crash first.
        epitaph_threads_release(capture);
        if (!epitaph_capture_hold(capture)) epitaph_capture_rearm();
        epitaph_owner_release();
    }
    perform(&action, arrived);
}

static void begin(epitaph_capture *capture, arrival *arrived) {
    nested_faults = 0;
    capture->is_live = false;
    capture->may_survive = false;
    capture->has_begun = false;
    capture->is_restarted = false;
    capture->signal = arrived->signal;
    capture->info = arrived->info;
    capture->context = arrived->context;
    capture->has_armed_file = arrived->has_file;
    epitaph_owner_note_stack(arrived->context, arrived->frame);
    epitaph_arrival_forget(&arrived->mark);
}

/// Whether a handler of the program gets the signal, which may recover.
static bool may_survive(const arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    return arrived->is_kernel_entry && is_of_program(&action);
}

static bool store_first_record(arrival *arrived);

static void handle_first(epitaph_capture *capture, arrival *arrived) {
    bool may_recover = may_survive(arrived);
    bool has_file = arrived->has_file || !may_recover || store_first_record(arrived) ||
                    (epitaph_capture_arm_child() && store_first_record(arrived));
    bool has_none = !epitaph_process_is_owner() && !epitaph_capture_may_inherit();
    if (!has_file && (has_none || epitaph_armed_file_is_busy())) {
        // Another thread's signal has the file, or this child has none. It is captured if it
        // becomes fatal. What an heir writes cannot be taken back, but its handler may restore the
        // default action, of which we would hear nothing.
        epitaph_owner_release();
        epitaph_filters_watch();
        epitaph_arrival_forget(&arrived->mark);
        perform_next(arrived);
        return;
    }
    begin(capture, arrived);
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
    if (nested_faults++ == 0 && !capture->is_silent) {
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

/// The interrupted handler goes on, and the signal arrives once it is over. At the process: the
/// thread has room for one, and that may be needed to pass on the signal that came first.
static void postpone(const arrival *arrived) {
    uint64_t bit = epitaph_signal_bit(arrived->signal);
    epitaph_signal_set_blocked(arrived->context, epitaph_signal_blocked(arrived->context) | bit);
    epitaph_sys_sigprocmask(SIG_BLOCK, &bit, NULL);
    epitaph_sys_sigqueueinfo(epitaph_sys_getpid(), arrived->signal, arrived->info);
}

/// Sent to the capturing thread: it takes it later if the process lives on.
static void handle_sent(const epitaph_capture *capture, const arrival *arrived) {
    if (capture->is_live || capture->may_survive) postpone(arrived);
}

/// Takes the armed file and stores the first record, before any system call. Does neither in a
/// forked child, whose process page is empty.
static bool store_first_record(arrival *arrived) {
    epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    arrived->has_file = false;
    if (!epitaph_process_is_owner()) return false;
    if (!epitaph_dump_file_take(file) && !epitaph_held_take_back(arrived->context)) return false;
    arrived->has_file = true;
    epitaph_first_record_store(file, arrived->signal, arrived->info, arrived->context);
    return true;
}

/// Passes a fault on with its record only, if the program usually repairs it.
static bool pass_on_usual(arrival *arrived) {
    if (!may_survive(arrived)) return false;
    if (!epitaph_place_is_usual(arrived->signal, arrived->info, arrived->context)) return false;
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

/// The signal as it was when the program got it first.
static bool find_original(const arrival *arrived, epitaph_delivered *delivered, arrival *original) {
    if (!epitaph_delivery_find(arrived->signal, arrived->context, delivered)) return false;
    epitaph_bytes_copy(original, arrived, sizeof *original);
    original->signal = delivered->signal;
    original->info = &delivered->info;
    original->context = delivered->context;
    original->was_delivered = false;
    original->mark.place = NULL;
    return true;
}

static void complete(arrival *arrived, bool may_recover) {
    epitaph_capture *capture = epitaph_capture_now();
    if (epitaph_filters_are_new()) return;
    if (epitaph_owner_try_claim() != EPITAPH_OWNER_IS_NEW) return;
    begin(capture, arrived);
    capture->may_survive = may_recover;
    epitaph_capture_run(capture);
    if (!may_recover && capture->pid == epitaph_capture_settings_now.dump_file.owner_pid) return;
    epitaph_threads_release(capture);
    if (!epitaph_capture_hold(capture)) epitaph_capture_rearm();
    epitaph_owner_release();
}

/// A signal that the program got now ends the process: what is held of it becomes the dump, and
/// what was left out of it is captured.
static void prepare_end(const arrival *arrived) {
    epitaph_delivered delivered;
    arrival original;
    epitaph_hold_kind kind = epitaph_held_here();
    if (kind == EPITAPH_HOLDS_HEAD || kind == EPITAPH_HOLDS_SECTIONS) {
        epitaph_held_seal();
        return;
    }
    if (!find_original(arrived, &delivered, &original)) return;
    original.has_file = kind == EPITAPH_HOLDS_RECORD && epitaph_held_take();
    if (original.has_file) {
        // Another thread's record may have been the last one stored.
        epitaph_first_record_store(&epitaph_capture_settings_now.dump_file, original.signal,
                                   original.info, original.context);
    } else {
        store_first_record(&original);
    }
    complete(&original, false);
}

/// A fault came again after the program's handler returned, and goes there again: not repaired, or
/// one more at the same place.
static void prepare_again(const arrival *arrived) {
    epitaph_delivered delivered;
    arrival original;
    if (epitaph_is_held() || !find_original(arrived, &delivered, &original)) return;
    if (!store_first_record(&original)) return;
    if (epitaph_held_is_repeating(delivered.number)) {
        complete(&original, true);
    } else {
        epitaph_hold(EPITAPH_HOLDS_RECORD, original.signal, original.info, original.context);
    }
}

/// A filter of the program may kill for any call: stores what it can, and dies without one if it
/// can.
static void handle_silently(epitaph_capture *capture, arrival *arrived) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(arrived->signal);
    if (arrived->has_file && epitaph_owner_claim_silently()) {
        begin(capture, arrived);
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

static void wait_in_place(epitaph_capture *capture, const arrival *arrived, bool *is_over) {
    epitaph_owner_add_waiter();
    // The other thread may release it: after a live dump, or if a previous handler recovered. If
    // not, there is at best the first record, but the process dies of the right signal.
    bool has_ended =
        epitaph_thread_wait_in_place(capture, arrived->context, other_capture_timeout_ns);
    epitaph_owner_remove_waiter();
    if (has_ended) return;
    epitaph_default_action_perform(arrived->signal, arrived->info, arrived->context);
    *is_over = true;
}

/// Waits for the thread that took the armed file to own the capture, to become part of its dump.
static void let_first_go_first(const arrival *arrived) {
    const epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    if (arrived->has_file || !epitaph_process_is_owner()) return;
    epitaph_deadline deadline = epitaph_deadline_after(first_capture_timeout_ns);
    while (__atomic_load_n(&file->state, __ATOMIC_ACQUIRE) == EPITAPH_FILE_TAKEN &&
           !epitaph_owner_is_set() && epitaph_deadline_left(&deadline) > 0) {
        epitaph_deadline_pause(&deadline, first_capture_pause_ns);
    }
}

static void capture_or_wait(epitaph_capture *capture, arrival *arrived) {
    bool is_over = false;
    let_first_go_first(arrived);
    while (!is_over) {
        switch (epitaph_owner_try_claim()) {
        case EPITAPH_OWNER_IS_NEW: handle_first(capture, arrived); return;
        case EPITAPH_OWNER_IS_SELF: handle_nested(capture, arrived->info); break;
        case EPITAPH_OWNER_IS_OTHER: wait_in_place(capture, arrived, &is_over); break;
        }
    }
}

/// glibc's ABORT_INSTRUCTION: hlt on x86_64, brk on aarch64.
static bool is_end_of_abort(const arrival *arrived) {
    if (init_in_abort == 0) return false;
    bool is_instruction = arrived->info->si_code == SI_KERNEL || arrived->signal == SIGTRAP;
    return is_instruction && init_in_abort == epitaph_sys_gettid();
}

static void handle_fresh(epitaph_capture *capture, arrival *arrived) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    bool is_disabled = __atomic_load_n(&settings->is_disabled, __ATOMIC_ACQUIRE) != 0;
    if (is_disabled || !epitaph_signals_have(settings->handled_signals, arrived->signal)) {
        perform_next(arrived);
        return;
    }
    if (is_end_of_abort(arrived)) {
        // The file armed in case the process survives.
        epitaph_dump_file_discard(&epitaph_capture_settings_now.dump_file);
        perform_next(arrived);
        return;
    }
    epitaph_arrival_note(&arrived->mark);
    store_first_record(arrived);
    if (pass_on_usual(arrived)) return;
    if (epitaph_filters_are_new()) {
        handle_silently(capture, arrived);
        epitaph_arrival_forget(&arrived->mark);
        return;
    }
    if (!arrived->has_file) {
        if (epitaph_held_settle(arrived->context)) store_first_record(arrived);
        if (arrived->has_file && pass_on_usual(arrived)) {
            epitaph_filters_watch();
            return;
        }
        if (!may_survive(arrived)) epitaph_held_give_way();
    }
    capture_or_wait(capture, arrived);
    epitaph_arrival_forget(&arrived->mark);
}

/// Whether a process sent the signal to a thread that is in a handler of ours because of a crash:
/// its own, or that of the thread that captures. One death, one report.
static bool is_late(const epitaph_capture *capture, const ucontext_t *context) {
    bool is_stopping =
        epitaph_stop_signal_is_at_entry(context) || epitaph_second_signal_is_at_entry(context);
    if (is_stopping && epitaph_owner_is_set() && !capture->is_live) return true;
    return epitaph_arrival_is_interrupted(context);
}

/// A signal that came together with another finds the handler at its first instruction: it belongs
/// to a capture of that one, if there will be any.
static bool is_together(const ucontext_t *context) {
    return epitaph_registers_instruction_pointer(context) == (uint64_t)epitaph_handle_signal;
}

/// The program answers its own system calls (syscall user dispatch), perhaps also each of ours: its
/// handler is called without one.
static bool pass_on_dispatched_call(int signal, siginfo_t *info, ucontext_t *context) {
    if (signal != SIGSYS || info->si_code != EPITAPH_SYS_USER_DISPATCH) return false;
    epitaph_kernel_sigaction action = epitaph_signal_next_action(signal);
    if (!is_of_program(&action)) return false;
    epitaph_signal_call(&action, signal, info, context);
    return true;
}

void epitaph_handle_signal_here(int signal, siginfo_t *info, void *context, const void *entry) {
    epitaph_registers_allow_unaligned();
    if (epitaph_guard_catch(info, context)) return;
    if (pass_on_dispatched_call(signal, info, context)) return;
    // Not a crash: the store is retried in replaced memory.
    if (epitaph_breadcrumb_file_mend(signal, info)) return;
    epitaph_capture *capture = epitaph_capture_now();
    arrival arrived;
    arrived.signal = signal;
    arrived.info = info;
    arrived.context = context;
    arrived.frame = __builtin_frame_address(0);
    arrived.has_file = false;
    arrived.is_kernel_entry = epitaph_registers_is_kernel_entry(info, context, entry);
    // The handler's own fault belongs to its capture.
    if (epitaph_owner_is_interrupted(context)) {
        if (info->si_code <= 0) {
            handle_sent(capture, &arrived);
            return;
        }
        handle_nested(capture, info);
    }
    if (info->si_code <= 0 && is_together(context)) {
        // A filter may kill for the call.
        if (!epitaph_filters_have_come()) postpone(&arrived);
        return;
    }
    if (info->si_code <= 0 && is_late(capture, context)) return;
    epitaph_delivery_kind kind =
        epitaph_delivery_judge(signal, info, context, arrived.is_kernel_entry);
    arrived.was_delivered = kind == EPITAPH_SIGNAL_CAME_BACK || kind == EPITAPH_SIGNAL_IS_TO_KILL;
    switch (kind) {
    case EPITAPH_SIGNAL_IS_FRESH: handle_fresh(capture, &arrived); break;
    case EPITAPH_SIGNAL_IS_ON_ITS_WAY:
    case EPITAPH_SIGNAL_CAME_BACK: perform_next(&arrived); break;
    case EPITAPH_SIGNAL_IS_TO_KILL: perform_previous(&arrived); break;
    }
}
