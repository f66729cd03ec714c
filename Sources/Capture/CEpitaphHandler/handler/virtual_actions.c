// SPDX-License-Identifier: Apache-2.0
//
// The program's side of sigaction(2), for signals that have our handler.

#include "epitaph_handler.h"

#include "epitaph_settings.h"
#include "epitaph_signals.h"
#include "signals/usual_stack.h"

/// Longer than any change takes: no handler can interrupt one. A thread stopped in the middle, as
/// by SIGSTOP, must not stop the others forever.
static const uint64_t change_timeout_ns = 1000000000;
static const uint64_t change_pause_ns = 20000;

/// The sa_flags the kernel keeps since 5.11, UAPI_SA_FLAGS of kernel/signal.c; programs probe them.
static const unsigned long known_flags = SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK |
                                         SA_RESTART | SA_NODEFER | 0x80000000ul /* SA_RESETHAND */ |
                                         0x800 /* SA_EXPOSE_TAGBITS */;

static epitaph_kernel_sigaction from_libc(const struct sigaction *action) {
    epitaph_kernel_sigaction kernel;
    kernel.handler = (void *)action->sa_handler;
    kernel.flags = (unsigned)action->sa_flags & known_flags;
    epitaph_signal_add_trampoline(&kernel);
    // The first 64 bits, without the two that do_sigaction, kernel/signal.c, removes.
    epitaph_bytes_copy(&kernel.mask, &action->sa_mask, sizeof kernel.mask);
    kernel.mask &= ~(epitaph_signal_bit(SIGKILL) | epitaph_signal_bit(SIGSTOP));
    return kernel;
}

/// Like glibc, sysdeps/unix/sysv/linux/libc_sigaction.c, and musl, src/signal/sigaction.c.
static void to_libc(const epitaph_kernel_sigaction *kernel, struct sigaction *action) {
    action->sa_handler = (void (*)(int))kernel->handler;
    action->sa_flags = (int)kernel->flags;
#ifdef __GLIBC__
    action->sa_restorer = (void (*)(void))kernel->restorer;
#endif
    epitaph_bytes_copy(&action->sa_mask, &kernel->mask, sizeof kernel->mask);
}

/// Whether the program's actions for `signal` are virtual, if any are.
static bool is_chosen(int signal) {
    if (signal < 1 || signal >= EPITAPH_SIGNAL_LIMIT) return false;
    uint64_t signals =
        __atomic_load_n(&epitaph_capture_settings_now.virtual_signals, __ATOMIC_ACQUIRE);
    return epitaph_signals_have(signals, signal);
}

static bool is_virtual(int signal) {
    if (!is_chosen(signal)) return false;
    epitaph_process_page *page = epitaph_process_page_now;
    if (page == NULL || epitaph_filters_have_come()) return false;
    uint32_t own = (uint32_t)epitaph_sys_getpid();
    uint32_t owner = 0;
    bool is_first = __atomic_compare_exchange_n(&page->actions_pid, &owner, own, 0,
                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return is_first || owner == own;
}

/// Blocks handlers of this thread, which might change an action, besides what the program blocks:
/// one of those signals may be pending. The page is ours: is_virtual.
static uint64_t begin_change(epitaph_process_page *page) {
    const uint64_t all = EPITAPH_ALL_SIGNALS & ~epitaph_fault_signals();
    uint64_t blocked = 0;
    epitaph_sys_sigprocmask(SIG_BLOCK, &all, &blocked);
    uint32_t own = __atomic_load_n(&page->actions_pid, __ATOMIC_ACQUIRE);
    epitaph_deadline deadline = epitaph_deadline_after(change_timeout_ns);
    uint32_t holder = 0;
    while (!__atomic_compare_exchange_n(&page->changes_actions_pid, &holder, own, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        if (epitaph_deadline_left(&deadline) == 0) break;
        epitaph_deadline_pause(&deadline, change_pause_ns);
        holder = 0;
    }
    return blocked;
}

static void end_change(epitaph_process_page *page, uint64_t blocked) {
    __atomic_store_n(&page->changes_actions_pid, 0, __ATOMIC_RELEASE);
    epitaph_sys_sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/// Whether to leave the program's choice to the kernel: an ignored signal, so that it stays ignored
/// across exec, and a handler for which the signal is no crash.
static bool is_kernels(int signal, const epitaph_kernel_sigaction *next) {
    if (next->handler == (void *)SIG_DFL) return false;
    return next->handler == (void *)SIG_IGN ||
           epitaph_signals_have(epitaph_answered_signals(), signal);
}

static bool is_left(int signal, const epitaph_kernel_sigaction *present,
                    const epitaph_kernel_sigaction *next) {
    return is_kernels(signal, next) && epitaph_usual_stack_has(present->handler, next);
}

/// Whether the kernel has made the default of an action that it had for one call only: flags and
/// mask stay, and the flags are those of the action that is left to it.
static bool is_used_up(int signal, const epitaph_kernel_sigaction *present,
                       const epitaph_kernel_sigaction *next) {
    if (present->handler != (void *)SIG_DFL || (next->flags & SA_RESETHAND) == 0) return false;
    epitaph_kernel_sigaction left = epitaph_usual_stack_action(next);
    return is_kernels(signal, next) && present->flags == left.flags && present->mask == left.mask;
}

/// The action without us. `present`, the kernel's, counts if the program bypassed libc.
static epitaph_kernel_sigaction seen(int signal, const epitaph_kernel_sigaction *present) {
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    bool is_next = epitaph_delivery_is_ours(present->handler) || is_left(signal, present, &next);
    if (is_used_up(signal, present, &next)) {
        next.handler = (void *)SIG_DFL;
    } else if (!is_next) {
        epitaph_bytes_copy(&next, present, sizeof next);
    }
    return next;
}

/// Keeps the mark of our action while a handler of the program runs. If the kernel had another
/// action meanwhile, the mark is not known.
static void put_in_force(int signal, const epitaph_kernel_sigaction *present) {
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    if (is_kernels(signal, &next)) {
        epitaph_kernel_sigaction action = epitaph_usual_stack_action(&next);
        epitaph_sys_sigaction(signal, &action, NULL);
    } else if (epitaph_signal_action_is_marked(present)) {
        epitaph_kernel_sigaction own = epitaph_signal_own_action(signal, true);
        epitaph_sys_sigaction(signal, &own, NULL);
    } else if (!epitaph_delivery_is_thunk(present->handler)) {
        epitaph_signal_install_own(signal);
    }
}

bool epitaph_virtual_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    if (!is_virtual(signal)) return false;
    epitaph_kernel_sigaction present;
    epitaph_kernel_sigaction wanted;
    epitaph_kernel_sigaction before;
    // A bad pointer faults here, with nothing changed.
    if (action != NULL) wanted = from_libc(action);
    epitaph_process_page *page = epitaph_process_page_now;
    uint64_t blocked = begin_change(page);
    bool can_ask = epitaph_sys_sigaction(signal, NULL, &present) == 0;
    if (can_ask) {
        before = seen(signal, &present);
        if (action != NULL) {
            // If not, the kernel gets it, as if actions were not virtual.
            can_ask = epitaph_signal_set_later(signal, &wanted);
            if (can_ask) put_in_force(signal, &present);
        }
    }
    end_change(page, blocked);
    if (can_ask && old != NULL) to_libc(&before, old);
    return can_ask;
}

void epitaph_virtual_action_hide(int signal, struct sigaction *old) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (signal < 1 || signal >= EPITAPH_SIGNAL_LIMIT) return;
    if (__atomic_load_n(&settings->virtual_signals, __ATOMIC_ACQUIRE) == 0) return;
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    const void *handler = (const void *)old->sa_handler;
    if (epitaph_delivery_is_ours(handler) || handler == (void *)epitaph_usual_stack_enter) {
        // What the program wants.
    } else if (handler == (void *)epitaph_handle_marked_signal) {
        // It only ever replaces the default action.
        epitaph_bytes_zero(&next, sizeof next);
        next.handler = (void *)SIG_DFL;
    } else {
        return;
    }
    to_libc(&next, old);
}

bool epitaph_virtual_action_is_left(int signal) {
    epitaph_kernel_sigaction present;
    if (!is_chosen(signal) || epitaph_sys_sigaction(signal, NULL, &present) < 0) return false;
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    return is_left(signal, &present, &next);
}
