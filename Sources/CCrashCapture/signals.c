// SPDX-License-Identifier: Apache-2.0

#include "signals.h"

#include "bytes.h"
#include "epitaph_capture.h"
#include "registers.h"

_Static_assert(sizeof(epitaph_kernel_sigaction) == sizeof epitaph_capture_settings_now.libc_action,
               "libc_action holds a kernel action");
_Static_assert(sizeof(epitaph_kernel_sigaction) ==
                   sizeof epitaph_capture_settings_now.previous_actions[0],
               "previous_actions holds kernel actions");

enum { EXIT_STATUS_OF_SIGNAL = 128, INIT_PID = 1 };

static epitaph_kernel_sigaction *remembered(int signal) {
    return (epitaph_kernel_sigaction *)epitaph_capture_settings_now.previous_actions[signal];
}

static uint64_t bit_of(int signal) {
    return 1ull << (signal - 1);
}

long epitaph_signal_remember(int signal) {
    long result = epitaph_sys_sigaction(signal, NULL, remembered(signal));
    if (result < 0) return result;
    return remembered(signal)->handler == (void *)SIG_IGN ? 0 : 1;
}

void epitaph_signal_take_pattern(int signal) {
    epitaph_sys_sigaction(signal, NULL,
                          (epitaph_kernel_sigaction *)epitaph_capture_settings_now.libc_action);
}

const uint64_t epitaph_fault_signals = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
                                       1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1) |
                                       1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);

/// asm/signal.h: the action names the trampoline that returns from the handler.
static const unsigned long has_restorer = 0x04000000;

epitaph_kernel_sigaction epitaph_signal_make_action(void *handler, unsigned long flags) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, epitaph_capture_settings_now.libc_action, sizeof action);
    if (action.handler == NULL) return action;
    action.handler = handler;
    action.flags = (action.flags & has_restorer) | SA_SIGINFO | flags;
    action.mask = ~epitaph_fault_signals;
    return action;
}

// A system call that the signal interrupts goes on, or fails with EINTR, as the handler that was
// there before wanted it.
epitaph_kernel_sigaction epitaph_signal_own_action(int signal) {
    unsigned long restart = remembered(signal)->flags & SA_RESTART;
    return epitaph_signal_make_action((void *)epitaph_handle_signal,
                                      SA_ONSTACK | SA_NODEFER | restart);
}

/// The last of the kernel's signals; nobody misses it in a mask of ours.
static const uint64_t delivery_mark = 1ull << 63;

epitaph_kernel_sigaction epitaph_signal_own_action_marked(int signal) {
    epitaph_kernel_sigaction action = epitaph_signal_own_action(signal);
    action.mask &= ~delivery_mark;
    return action;
}

bool epitaph_signal_is_marked(int signal) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(signal, NULL, &present) < 0) return false;
    return present.handler == (void *)epitaph_handle_signal && (present.mask & delivery_mark) == 0;
}

long epitaph_signal_install_own(int signal) {
    epitaph_kernel_sigaction action = epitaph_signal_own_action(signal);
    return epitaph_sys_sigaction(signal, &action, NULL);
}

bool epitaph_signal_is_displaced(int signal, uint64_t *handler) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(signal, NULL, &present) < 0) return false;
    *handler = (uint64_t)present.handler;
    return present.handler != (void *)epitaph_handle_signal;
}

static bool is_retaken(int signal) {
    return (epitaph_capture_settings_now.retaken_signals & bit_of(signal)) != 0;
}

/// Written at quiet time, by one thread at a time.
static void set_retaken(int signal, bool is_retaken) {
    uint64_t signals = epitaph_capture_settings_now.retaken_signals & ~bit_of(signal);
    if (is_retaken) signals |= bit_of(signal);
    __atomic_store_n(&epitaph_capture_settings_now.retaken_signals, signals, __ATOMIC_RELEASE);
}

static epitaph_kernel_sigaction *original(int signal) {
    return (epitaph_kernel_sigaction *)epitaph_capture_settings_now.original_actions[signal];
}

void epitaph_signal_restore(int signal) {
    uint64_t handler;
    if (!epitaph_signal_is_displaced(signal, &handler)) {
        epitaph_sys_sigaction(signal, remembered(signal), NULL);
    }
    if (!is_retaken(signal)) return;
    // The newcomer, which stays, may still pass the signal on to us.
    epitaph_bytes_copy(remembered(signal), original(signal), sizeof *remembered(signal));
    set_retaken(signal, false);
}

uint64_t epitaph_signal_remembered_handler(int signal) {
    return (uint64_t)remembered(signal)->handler;
}

static bool set_default(int signal) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_zero(&action, sizeof action);
    return epitaph_sys_sigaction(signal, &action, NULL) == 0;
}

long epitaph_signal_remember_newcomer(int signal) {
    epitaph_kernel_sigaction newcomer;
    long result = epitaph_sys_sigaction(signal, NULL, &newcomer);
    if (result < 0) return result;
    if (newcomer.handler == (void *)SIG_IGN) return 0;
    if (!is_retaken(signal)) {
        epitaph_bytes_copy(original(signal), remembered(signal), sizeof newcomer);
        set_retaken(signal, true);
    }
    epitaph_bytes_copy(remembered(signal), &newcomer, sizeof newcomer);
    return 1;
}

epitaph_kernel_sigaction epitaph_signal_previous_action(int signal) {
    if (!is_retaken(signal)) return epitaph_signal_original_action(signal);
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, remembered(signal), sizeof action);
    return action;
}

epitaph_kernel_sigaction epitaph_signal_original_action(int signal) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, is_retaken(signal) ? original(signal) : remembered(signal),
                       sizeof action);
    if ((epitaph_capture_settings_now.replaced_signals & bit_of(signal)) != 0) {
        epitaph_bytes_zero(&action, sizeof action);
    }
    return action;
}

void epitaph_signal_forget_previous(int signal) {
    epitaph_bytes_zero(remembered(signal), sizeof *remembered(signal));
}

bool epitaph_signal_happens_again(int signal, const siginfo_t *info) {
    // SI_KERNEL is said of faults, but also of signals that somebody else forced upon the thread;
    // BUS_MCEERR_AO of memory that the thread has not touched.
    if (info->si_code <= 0 || info->si_code == SI_KERNEL) return false;
    if (signal == SIGBUS && info->si_code == BUS_MCEERR_AO) return false;
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

void epitaph_signal_set_blocked(ucontext_t *context, uint64_t mask) {
    // The kernel's mask is the first 64 bits of libc's longer one.
    epitaph_bytes_copy(&context->uc_sigmask, &mask, sizeof mask);
}

uint64_t epitaph_signal_blocked(const ucontext_t *context) {
    uint64_t mask;
    epitaph_bytes_copy(&mask, &context->uc_sigmask, sizeof mask);
    return mask;
}

// rt_tgsigqueueinfo(2) lets a thread send itself anything. An emulator takes a fault that is queued
// for one of its own; ours have no vdso.
bool epitaph_signal_queue_again(int signal, const siginfo_t *info) {
    const uint64_t all = ~0ull;
    if (info->si_code > 0 && epitaph_capture_settings_now.facts.vdso_address == 0) return false;
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, NULL);
    return epitaph_sys_tgsigqueueinfo(epitaph_sys_getpid(), epitaph_sys_gettid(), signal, info) ==
           0;
}

/// Left to happen again with its signal blocked the fault ends the process, whatever its action is,
/// in init too: force_sig_info_to_task, kernel/signal.c.
static void leave_to_happen_again(int signal, ucontext_t *context) {
    epitaph_signal_set_blocked(context, epitaph_signal_blocked(context) | bit_of(signal));
}

bool epitaph_signal_is_ignored_by_init(int signal, const siginfo_t *info) {
    bool is_fault = info->si_code > 0 && (epitaph_fault_signals & bit_of(signal)) != 0;
    return !is_fault && epitaph_sys_getpid() == INIT_PID;
}

// Brought about, not hoped for: a fault may not happen again (the page has come back, another
// thread has changed its protection), and the process would live on. The signal is queued with its
// own siginfo rather than raised, so that the core dump, the parent and a debugger see the true
// code and sender. It stays blocked until the handler has returned, so that it arrives at the
// instruction of the crash.
void epitaph_signal_take_default(int signal, siginfo_t *info, ucontext_t *context) {
    bool is_default = set_default(signal);
    // The kernel drops signals with the default action that init sends to itself. Faults alone end
    // it, and nobody can force one upon it from outside.
    bool is_init = epitaph_sys_getpid() == INIT_PID;
    bool can_queue = is_default && !is_init;
    bool is_fault = epitaph_signal_happens_again(signal, info) ||
                    (is_init && !epitaph_signal_is_ignored_by_init(signal, info));
    if (can_queue && epitaph_signal_queue_again(signal, info)) {
        epitaph_signal_set_blocked(context, epitaph_signal_blocked(context) & ~bit_of(signal));
        return;
    }
    if (is_fault) {
        leave_to_happen_again(signal, context);
        return;
    }
    epitaph_signal_set_blocked(context, epitaph_signal_blocked(context) & ~bit_of(signal));
    const uint64_t all = ~0ull;
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, NULL);
    if (!can_queue || epitaph_sys_tgkill(epitaph_sys_getpid(), epitaph_sys_gettid(), signal) < 0) {
        epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
    }
}

// A signal that was sent cannot be sent again: the filter may end the process for that. One that
// the processor raises as well comes from an instruction of ours, with the status it would have.
// abort(3) and raise(3) have made the calls that are made for the others a moment ago.
void epitaph_signal_take_default_silently(int signal, siginfo_t *info, ucontext_t *context) {
    bool is_raised = info->si_code == SI_TKILL;
    bool happens_again = epitaph_signal_happens_again(signal, info);
    if (happens_again || (!is_raised && epitaph_registers_go_to_fault(context, signal))) {
        leave_to_happen_again(signal, context);
        return;
    }
    set_default(signal);
    const uint64_t all = ~0ull;
    epitaph_signal_set_blocked(context, epitaph_signal_blocked(context) & ~bit_of(signal));
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, NULL);
    epitaph_sys_tgkill(epitaph_sys_getpid(), epitaph_sys_gettid(), signal);
}

void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context) {
    if ((action->flags & SA_SIGINFO) != 0) {
        ((void (*)(int, siginfo_t *, void *))action->handler)(signal, info, context);
    } else {
        ((void (*)(int))action->handler)(signal);
    }
}

_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info) {
    const uint64_t none = 0;
    if (!set_default(signal)) epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
    epitaph_sys_sigprocmask(SIG_SETMASK, &none, NULL);
    epitaph_sys_tgsigqueueinfo(epitaph_sys_getpid(), epitaph_sys_gettid(), signal, info);
    epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
}
