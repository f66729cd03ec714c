// SPDX-License-Identifier: Apache-2.0

#include "signals.h"

#include "bytes.h"
#include "epitaph_capture.h"

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

/// Faults of a stopped thread must reach the crash handler: a fault whose signal is blocked ends
/// the process on the spot.
static const uint64_t faults = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) |
                               1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);

bool epitaph_signal_install_stop_handler(void *handler, epitaph_kernel_sigaction *earlier) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, epitaph_capture_settings_now.libc_action, sizeof action);
    if (action.handler == NULL) return false;
    action.handler = handler;
    action.flags |= SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    action.flags &= ~(unsigned long)(SA_RESETHAND | SA_NODEFER);
    action.mask = ~faults;
    epitaph_kernel_sigaction present;
    int signal = epitaph_capture_settings_now.stop_signal;
    if (epitaph_sys_sigaction(signal, &action, &present) < 0) return false;
    if (present.handler != handler) epitaph_bytes_copy(earlier, &present, sizeof present);
    return true;
}

void epitaph_signal_restore(int signal) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(signal, NULL, &present) < 0) return;
    if (present.handler != (void *)epitaph_handle_signal) return;
    epitaph_sys_sigaction(signal, remembered(signal), NULL);
}

uint64_t epitaph_signal_remembered_handler(int signal) {
    return (uint64_t)remembered(signal)->handler;
}

static bool set_default(int signal) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_zero(&action, sizeof action);
    return epitaph_sys_sigaction(signal, &action, NULL) == 0;
}

epitaph_kernel_sigaction epitaph_signal_previous_action(int signal) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, remembered(signal), sizeof action);
    if ((epitaph_capture_settings_now.replaced_signals & bit_of(signal)) != 0) {
        epitaph_bytes_zero(&action, sizeof action);
    }
    return action;
}

/// Whether the instruction will raise the signal again when it is run again.
static bool happens_again(int signal, const siginfo_t *info) {
    // SI_KERNEL is said of faults, but also of signals that somebody else forced upon the thread.
    return info->si_code > 0 && info->si_code != SI_KERNEL &&
           (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL);
}

static void set_blocked(ucontext_t *context, uint64_t mask) {
    // The kernel's mask is the first 64 bits of libc's longer one.
    epitaph_bytes_copy(&context->uc_sigmask, &mask, sizeof mask);
}

static uint64_t blocked(const ucontext_t *context) {
    uint64_t mask;
    epitaph_bytes_copy(&mask, &context->uc_sigmask, sizeof mask);
    return mask;
}

// A fault is left to happen again: the kernel then ends the process whatever is blocked, in init
// too, and the core dump is the true one. Other signals are queued again with their own siginfo
// rather than raised, so that the core dump, the parent and a debugger see the true code and
// sender; rt_tgsigqueueinfo(2) lets a thread send itself anything. They stay blocked until the
// handler has returned, so that they arrive at the instruction of the crash.
void epitaph_signal_take_default(int signal, siginfo_t *info, ucontext_t *context) {
    const uint64_t all = ~0ull;
    bool is_default = set_default(signal);
    if (happens_again(signal, info)) {
        // The kernel also takes the default action for a fault whose signal is blocked.
        if (!is_default) set_blocked(context, blocked(context) | bit_of(signal));
        return;
    }
    int32_t pid = epitaph_sys_getpid();
    // The kernel drops signals with the default action that init sends to itself.
    if (pid == INIT_PID || !is_default) epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
    set_blocked(context, blocked(context) & ~bit_of(signal));
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, NULL);
    int32_t tid = epitaph_sys_gettid();
    if (epitaph_sys_tgsigqueueinfo(pid, tid, signal, info) == 0) return;
    if (epitaph_sys_tgkill(pid, tid, signal) < 0) {
        epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
    }
}

void epitaph_signal_call_earlier(int signal, siginfo_t *info, ucontext_t *context) {
    epitaph_kernel_sigaction action = epitaph_signal_previous_action(signal);
    uint64_t mask = blocked(context) | action.mask;
    if ((action.flags & SA_NODEFER) == 0) mask |= bit_of(signal);
    if ((action.flags & SA_RESETHAND) != 0) {
        // It asked to be called once: the kernel would have taken it out before the call.
        set_default(signal);
    }
    epitaph_sys_sigprocmask(SIG_SETMASK, &mask, NULL);
    if ((action.flags & SA_SIGINFO) != 0) {
        ((void (*)(int, siginfo_t *, void *))action.handler)(signal, info, context);
    } else {
        ((void (*)(int))action.handler)(signal);
    }
}

void epitaph_signal_pass_on(const epitaph_kernel_sigaction *earlier, int signal, siginfo_t *info,
                            ucontext_t *context) {
    if (info->si_code == SI_TKILL && info->si_pid == epitaph_sys_getpid()) return;
    if (earlier->handler == (void *)SIG_IGN) return;
    if (earlier->handler == (void *)SIG_DFL) {
        epitaph_signal_take_default(signal, info, context);
    } else {
        ((void (*)(int, siginfo_t *, void *))earlier->handler)(signal, info, context);
    }
}

_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info) {
    const uint64_t none = 0;
    if (!set_default(signal)) epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
    epitaph_sys_sigprocmask(SIG_SETMASK, &none, NULL);
    epitaph_sys_tgsigqueueinfo(epitaph_sys_getpid(), epitaph_sys_gettid(), signal, info);
    epitaph_sys_exit_group(EXIT_STATUS_OF_SIGNAL + signal);
}
