// SPDX-License-Identifier: Apache-2.0
//
// Makes, installs and recognises our own action.

#include "signals/usual_stack.h"

#include "epitaph_settings.h"
#include "epitaph_signals.h"

_Static_assert(sizeof(epitaph_kernel_sigaction) == sizeof epitaph_capture_settings_now.libc_action,
               "libc_action holds a kernel action");

/// SA_RESTORER of asm/signal.h: the action has a trampoline.
static const unsigned long has_restorer = 0x04000000;

/// The last kernel signal, which none of our handlers needs in its mask.
static const uint64_t delivery_mark = 1ull << 63;

/// How often our action was installed without the mark, other than at the request of a program that
/// had found it.
static uint64_t installation_count;

static bool is_own(const epitaph_kernel_sigaction *action) {
    return action->handler == (void *)epitaph_capture_settings_now.crash_handler;
}

void epitaph_signal_copy_pattern(int signal) {
    epitaph_sys_sigaction(signal, NULL,
                          (epitaph_kernel_sigaction *)epitaph_capture_settings_now.libc_action);
}

epitaph_kernel_sigaction epitaph_signal_make_action(void *handler, unsigned long flags) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, epitaph_capture_settings_now.libc_action, sizeof action);
    if (action.handler == NULL) return action;
    action.handler = handler;
    action.flags = (action.flags & has_restorer) | SA_SIGINFO | flags;
    action.mask = ~epitaph_fault_signals();
    return action;
}

// SA_RESTART as the next handler wants it.
static epitaph_kernel_sigaction make_own(int signal) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    unsigned long flags = SA_ONSTACK | SA_NODEFER | (next.flags & SA_RESTART);
    bool is_resetting = epitaph_signals_have(settings->resetting_signals, signal);
    if (is_resetting && next.handler == (void *)SIG_DFL) flags |= SA_RESETHAND;
    return epitaph_signal_make_action((void *)settings->crash_handler, flags);
}

epitaph_kernel_sigaction epitaph_signal_own_action(int signal, bool is_marked) {
    epitaph_kernel_sigaction action = make_own(signal);
    if (is_marked) action.mask &= ~delivery_mark;
    return action;
}

bool epitaph_signal_action_is_marked(const epitaph_kernel_sigaction *action) {
    return is_own(action) && (action->mask & delivery_mark) == 0;
}

void epitaph_signal_add_trampoline(epitaph_kernel_sigaction *action) {
    epitaph_kernel_sigaction pattern;
    epitaph_bytes_copy(&pattern, epitaph_capture_settings_now.libc_action, sizeof pattern);
    action->flags |= pattern.flags & has_restorer;
    action->restorer = pattern.restorer;
}

long epitaph_signal_install_own(int signal) {
    epitaph_kernel_sigaction action = make_own(signal);
    __atomic_add_fetch(&installation_count, 1, __ATOMIC_RELAXED);
    return epitaph_sys_sigaction(signal, &action, NULL);
}

void epitaph_signals_reset_themselves(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint64_t handler;
    // A child of vfork(2) has this memory and actions of its own.
    bool shares_memory =
        epitaph_process_is_owner() && settings->dump_file.owner_pid != epitaph_sys_getpid();
    if (shares_memory || !epitaph_filters_are_old()) return;
    uint64_t sent = settings->handled_signals & ~epitaph_fault_signals();
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        if (!epitaph_signals_have(sent, signal)) continue;
        bool is_default = epitaph_signal_next_installed(signal).handler == (void *)SIG_DFL;
        if (!is_default || epitaph_signal_is_displaced(signal, &handler)) continue;
        settings->resetting_signals |= epitaph_signal_bit(signal);
        epitaph_signal_install_own(signal);
    }
}

uint64_t epitaph_signal_installation_count(void) {
    return __atomic_load_n(&installation_count, __ATOMIC_RELAXED);
}

bool epitaph_signal_is_displaced(int signal, uint64_t *handler) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(signal, NULL, &present) < 0) return false;
    *handler = (uint64_t)present.handler;
    return !is_own(&present);
}

void epitaph_signal_restore(int signal) {
    uint64_t handler;
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    bool is_displaced = epitaph_signal_is_displaced(signal, &handler);
    if (!is_displaced || handler == (uint64_t)epitaph_usual_stack_enter) {
        epitaph_sys_sigaction(signal, &next, NULL);
    }
    // The later action stays installed, and its handler may still pass the signal to ours.
    epitaph_signal_forget_later(signal);
}
