// SPDX-License-Identifier: Apache-2.0
//
// Dies as the process would have died without us.

#include "signals/actions.h"

#include "epitaph_settings.h"
#include "processor/registers.h"

#include <linux/sched.h>

enum { EXIT_STATUS_OF_SIGNAL = 128, INIT_PID = 1, CHILD_STACK_BYTES = 512 };

/// What a timer or a child needs at most.
static const uint64_t signal_wait_ns = 100000000;

static bool is_refused_call(int signal, const siginfo_t *info) {
    return signal == SIGSYS && info->si_code == EPITAPH_SYS_SECCOMP;
}

/// The second time in case that an errno was put in the place of the answer once.
static bool set_default(int signal) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_zero(&action, sizeof action);
    return epitaph_sys_sigaction(signal, &action, NULL) == 0 ||
           epitaph_sys_sigaction(signal, &action, NULL) == 0 ||
           epitaph_signals_have(epitaph_capture_settings_now.resetting_signals, signal);
}

/// A blocked fault ends the process, even init: force_sig_info_to_task, kernel/signal.c.
static void leave_to_happen_again(int signal, const siginfo_t *info, ucontext_t *context) {
    // A trap and a refused call are behind their instruction.
    if (signal == SIGTRAP) epitaph_registers_go_to_fault(context, signal);
    if (is_refused_call(signal, info)) epitaph_registers_repeat_call(context);
    epitaph_signal_set_blocked(context,
                               epitaph_signal_blocked(context) | epitaph_signal_bit(signal));
}

bool epitaph_process_is_init(void) {
    return epitaph_sys_getpid() == INIT_PID;
}

bool epitaph_signal_is_ignored_by_init(int signal, const siginfo_t *info) {
    bool is_fault = info->si_code > 0 && epitaph_signals_have(epitaph_fault_signals(), signal);
    return !is_fault && epitaph_process_is_init();
}

/// Where a sandbox refuses the calls that send signals, this one is often left.
static bool start_timer(int signal) {
    int32_t timer;
    epitaph_kernel_timer settings;
    settings.tid = epitaph_sys_gettid();
    settings.signal = signal;
    settings.first_ns = 1;
    settings.interval_ns = 0;
    settings.value = NULL;
    return epitaph_sys_timer_start(&timer, &settings) >= 0;
}

static int end_at_once(void *argument) {
    (void)argument;
    return 0;
}

/// The kernel sends the signal when the child has ended: clone(2), "The child termination signal".
/// As long as it has our memory, this thread stands still.
static bool have_child(int signal) {
    _Alignas(16) uint8_t stack[CHILD_STACK_BYTES];
    unsigned long flags = CLONE_VM | CLONE_VFORK | (unsigned long)signal;
    return epitaph_sys_clone_process(flags, stack + sizeof stack, end_at_once, NULL) >= 0;
}

static void wait_for_signal(void) {
    static const uint64_t none = 0;
    epitaph_sys_sigprocmask(SIG_SETMASK, &none, NULL);
    epitaph_deadline deadline = epitaph_deadline_after(signal_wait_ns);
    while (epitaph_deadline_left(&deadline) > 0)
        epitaph_deadline_pause(&deadline, signal_wait_ns);
}

_Noreturn static void exit_with(int signal) {
    epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
    for (;;)
        __builtin_trap();
}

/// The signal with another siginfo: raised, by an instruction, by a timer, by a child. The last
/// that is left is the exit code that a shell makes of the signal. `can_send`: the default action
/// is in force, and the process does not ignore it. `can_fault`: nor a fault.
static void die_otherwise(int signal, const siginfo_t *info, ucontext_t *context, bool can_send,
                          bool can_fault) {
    const uint64_t all = EPITAPH_ALL_SIGNALS;
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, NULL);
    if (can_send && epitaph_sys_tgkill(epitaph_sys_getpid(), epitaph_sys_gettid(), signal) == 0) {
        epitaph_signal_set_blocked(context,
                                   epitaph_signal_blocked(context) & ~epitaph_signal_bit(signal));
    } else if (can_fault && epitaph_registers_go_to_fault(context, signal)) {
        leave_to_happen_again(signal, info, context);
    } else {
        if (can_send && (start_timer(signal) || have_child(signal))) wait_for_signal();
        epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
        // abort(3), to which this returns, has means of its own.
        if (signal != SIGABRT || info->si_code != SI_TKILL) exit_with(signal);
    }
}

// Does not rely on the fault happening again: the page may be back, or its protection changed, and
// the process would survive. Queues the signal with its own siginfo instead of raising it, so that
// core dump, parent and debugger see the true code and sender. It stays blocked until the handler
// returns, so that it arrives at the crashing instruction.
void epitaph_default_action_perform(int signal, siginfo_t *info, ucontext_t *context) {
    // The kernel drops signals with the default action sent to init. Only its own faults end it.
    if (epitaph_signal_is_ignored_by_init(signal, info)) return;
    bool is_init = epitaph_process_is_init();
    bool can_queue = set_default(signal) && !is_init;
    bool is_fault = epitaph_signal_happens_again(signal, info) || is_init;
    if (can_queue && epitaph_signal_queue_again(signal, info)) {
        epitaph_signal_set_blocked(context,
                                   epitaph_signal_blocked(context) & ~epitaph_signal_bit(signal));
        return;
    }
    if (is_fault) {
        leave_to_happen_again(signal, info, context);
        return;
    }
    die_otherwise(signal, info, context, can_queue, true);
}

// A sent signal cannot be sent again: the filter may kill for that. An instruction of ours raises
// it if the processor can, and the call that the filter refused raises SIGSYS: each call of ours
// might, too, and come back here. The others use the calls that abort(3) and raise(3) just made.
void epitaph_default_action_perform_silently(int signal, siginfo_t *info, ucontext_t *context) {
    bool is_raised = info->si_code == SI_TKILL;
    bool happens_again =
        epitaph_signal_happens_again(signal, info) || is_refused_call(signal, info);
    if (happens_again || (!is_raised && epitaph_registers_go_to_fault(context, signal))) {
        leave_to_happen_again(signal, info, context);
        return;
    }
    die_otherwise(signal, info, context, set_default(signal), true);
}

_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info) {
    const uint64_t none = 0;
    if (!set_default(signal)) exit_with(signal);
    epitaph_sys_sigprocmask(SIG_SETMASK, &none, NULL);
    epitaph_sys_tgsigqueueinfo(epitaph_sys_getpid(), epitaph_sys_gettid(), signal, info);
    exit_with(signal);
}
