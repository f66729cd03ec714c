// SPDX-License-Identifier: Apache-2.0
//
// Replaces sigaction(2) and functions built on it. With virtual actions the program sees and
// changes its own actions while our handler stays installed; otherwise they behave like libc's.
// libc's internal calls, as in abort(3) and system(3), bypass them. ANY-TIME, like the originals.

#include "signals/signals.h"

#include "epitaph_handler.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <string.h>

typedef void (*signal_handler)(int);

#define INTERPOSED __attribute__((visibility("default")))

/// Set by siginterrupt(3); libc's own record is not readable.
static uint64_t interrupting_signals;

static bool is_signal(int signal) {
    return signal >= 1 && signal < EPITAPH_SIGNAL_LIMIT;
}

/// Programs set the default action before they end by a signal, SIGTERM for one.
static bool is_sign_of_life(int signal, const struct sigaction *action) {
    uint64_t handled = epitaph_capture_settings_now.handled_signals;
    return action != NULL && is_signal(signal) && !epitaph_signals_have(handled, signal);
}

int epitaph_sigaction_answer(int signal, const struct sigaction *action, struct sigaction *old) {
    if (is_sign_of_life(signal, action)) epitaph_held_settle_here();
    if (epitaph_virtual_sigaction(signal, action, old)) return 0;
    int result = epitaph_real_sigaction(signal, action, old);
    if (result == 0 && old != NULL) epitaph_virtual_action_hide(signal, old);
    return result;
}

static signal_handler fail(void) {
    errno = EINVAL;
    return SIG_ERR;
}

static signal_handler install(int signal, signal_handler handler, const sigset_t *mask, int flags) {
    struct sigaction action;
    struct sigaction old;
    memset(&action, 0, sizeof action);
    memset(&old, 0, sizeof old);
    action.sa_handler = handler;
    action.sa_flags = flags;
    action.sa_mask = *mask;
    return epitaph_sigaction_answer(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

INTERPOSED int sigaction(int signal, const struct sigaction *restrict action,
                         struct sigaction *restrict old) {
    return epitaph_sigaction_answer(signal, action, old);
}

/// BSD semantics: signal(2), glibc sysdeps/posix/signal.c.
static signal_handler bsd(int signal, signal_handler handler) {
    if (handler == SIG_ERR || !is_signal(signal)) return fail();
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    uint64_t interrupting = __atomic_load_n(&interrupting_signals, __ATOMIC_RELAXED);
    bool restarts = !epitaph_signals_have(interrupting, signal);
    return install(signal, handler, &mask, restarts ? SA_RESTART : 0);
}

/// System V semantics: signal(2), glibc sysdeps/posix/sysv_signal.c.
static signal_handler system_v(int signal, signal_handler handler) {
    if (handler == SIG_ERR || !is_signal(signal)) return fail();
    sigset_t mask;
    sigemptyset(&mask);
    return install(signal, handler, &mask, (int)(SA_RESETHAND | SA_NODEFER));
}

INTERPOSED signal_handler signal(int signal, signal_handler handler) {
    return bsd(signal, handler);
}

INTERPOSED signal_handler bsd_signal(int signal, signal_handler handler);
INTERPOSED signal_handler bsd_signal(int signal, signal_handler handler) {
    return bsd(signal, handler);
}

INTERPOSED signal_handler ssignal(int signal, signal_handler handler);
INTERPOSED signal_handler ssignal(int signal, signal_handler handler) {
    return bsd(signal, handler);
}

#ifdef __GLIBC__

INTERPOSED signal_handler sysv_signal(int signal, signal_handler handler) {
    return system_v(signal, handler);
}

INTERPOSED signal_handler __sysv_signal(int signal, signal_handler handler) {
    return system_v(signal, handler);
}

#endif

INTERPOSED int siginterrupt(int signal, int interrupts) {
    struct sigaction action;
    if (epitaph_sigaction_answer(signal, NULL, &action) != 0) return -1;
    uint64_t bit = epitaph_signal_bit(signal);
    if (interrupts) {
        __atomic_fetch_or(&interrupting_signals, bit, __ATOMIC_RELAXED);
        action.sa_flags &= ~SA_RESTART;
    } else {
        __atomic_fetch_and(&interrupting_signals, ~bit, __ATOMIC_RELAXED);
        action.sa_flags |= SA_RESTART;
    }
    return epitaph_sigaction_answer(signal, &action, NULL);
}

INTERPOSED int sigignore(int signal) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    return epitaph_sigaction_answer(signal, &action, NULL);
}

/// sigset(3), glibc signal/sigset.c: SIG_HOLD, 2, blocks the signal and keeps its action.
INTERPOSED signal_handler sigset(int signal, signal_handler handler) {
    const signal_handler hold = (signal_handler)2;
    if (handler == SIG_ERR || !is_signal(signal)) return fail();
    sigset_t mask;
    sigset_t before;
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    struct sigaction old;
    memset(&old, 0, sizeof old);
    if (handler == hold) {
        if (sigprocmask(SIG_BLOCK, &mask, &before) != 0) return SIG_ERR;
        if (sigismember(&before, signal)) return hold;
        return epitaph_sigaction_answer(signal, NULL, &old) == 0 ? old.sa_handler : SIG_ERR;
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    if (epitaph_sigaction_answer(signal, &action, &old) != 0) return SIG_ERR;
    if (sigprocmask(SIG_UNBLOCK, &mask, &before) != 0) return SIG_ERR;
    return sigismember(&before, signal) ? hold : old.sa_handler;
}
