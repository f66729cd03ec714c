// SPDX-License-Identifier: Apache-2.0
//
// Which signals have our handler, and which a program adds or gives up later.

#include "signals/signals.h"

#include "base/base.h"
#include "endings/endings.h"
#include "epitaph_handler.h"
#include "epitaph_settings.h"
#include "epitaph_signals.h"
#include "options/options.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/// The Swift runtime's only signal handler is the backtracer's.
static bool is_swift_backtracer(uint64_t handler) {
    Dl_info info;
    if (handler <= (uint64_t)SIG_IGN || dladdr((void *)handler, &info) == 0) return false;
    return info.dli_fname != NULL && strstr(info.dli_fname, "libswiftCore.so") != NULL;
}

static epitaph_swift_backtracer backtracer;
static bool actions_are_virtual;

/// A virtual signal counts as handled even if ignored: our handler is installed on demand.
static void set_virtual(int signal, bool is_virtual) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint64_t bit = epitaph_signal_bit(signal);
    uint64_t signals = settings->virtual_signals & ~bit;
    if (is_virtual) {
        signals |= bit;
        settings->handled_signals |= bit;
    }
    __atomic_store_n(&settings->virtual_signals, signals, __ATOMIC_RELEASE);
}

/// Installs our handler for a moment through libc, for the trampoline that all our actions copy.
/// Sanitizers and libjsig, in front of libc, keep the program's actions in tables of their own,
/// which their handlers ask: if they found ours there, the signal would go round for ever.
static int learn_trampoline(int signal) {
    static bool is_known;
    struct sigaction action;
    struct sigaction previous;
    sigset_t blocked, before;
    if (is_known) return 0;
    // It may be ignored, and is not for our handler then.
    sigemptyset(&blocked);
    sigaddset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = epitaph_handle_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    int reason = epitaph_real_sigaction(signal, &action, &previous) == 0 ? 0 : errno;
    if (reason == 0) {
        epitaph_signal_copy_pattern(signal);
        is_known = true;
        if (epitaph_real_sigaction(signal, &previous, NULL) != 0) reason = errno;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return reason;
}

static int install(int signal) {
    int reason = learn_trampoline(signal);
    return reason != 0 ? reason : (int)-epitaph_signal_install_own(signal);
}

uint64_t epitaph_signals_displaced(void) {
    uint64_t handled = epitaph_capture_settings_now.handled_signals;
    uint64_t displaced = 0;
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        uint64_t handler;
        uint64_t bit = epitaph_signal_bit(signal);
        if ((handled & bit) == 0 || epitaph_virtual_action_is_left(signal)) continue;
        if (epitaph_signal_is_displaced(signal, &handler)) displaced |= bit;
    }
    return displaced;
}

static long take_in_kernel(int signal) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint64_t bit = epitaph_signal_bit(signal);
    if ((settings->handled_signals & bit) != 0) return 1;
    uint64_t present;
    if (!epitaph_signal_is_displaced(signal, &present)) {
        // The signal was given up while a library's handler displaced ours; the library has since
        // restored ours. The previous action is still remembered.
        settings->handled_signals |= bit;
        return 1;
    }
    long result = epitaph_signal_remember_previous(signal);
    if (result <= 0) return result;
    if (backtracer == EPITAPH_SWIFT_BACKTRACER_REPLACE &&
        is_swift_backtracer(epitaph_signal_previous_handler(signal))) {
        settings->replaced_signals |= bit;
    }
    // The handler must find its signal among the handled ones.
    settings->handled_signals |= bit;
    int reason = install(signal);
    if (reason == 0) return 1;
    settings->handled_signals &= ~bit;
    return -reason;
}

/// Under the state lock. Returns 1, 0 for a signal that stays ignored, or a negative errno.
static long take(int signal) {
    long result = take_in_kernel(signal);
    // Needed once the program handles it.
    if (result == 0 && learn_trampoline(signal) != 0) return 0;
    if (result >= 0 && actions_are_virtual) set_virtual(signal, true);
    return result;
}

/// The caller holds the state lock.
static void give_up(int signal) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint64_t bit = epitaph_signal_bit(signal);
    if ((settings->handled_signals & bit) == 0) return;
    set_virtual(signal, false);
    epitaph_signal_restore(signal);
    settings->handled_signals &= ~bit;
    settings->replaced_signals &= ~bit;
}

epitaph_status epitaph_signals_install(const epitaph_options *options, epitaph_error *error) {
    backtracer = options->swift_backtracer;
    actions_are_virtual = options->virtual_signal_actions != 0;
    for (const int *signal = options->signals; *signal != 0; signal++) {
        long result = take(*signal);
        if (result < 0) {
            epitaph_signals_uninstall();
            return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, (int)-result,
                                     "cannot install a handler for signal %d", *signal);
        }
    }
    return EPITAPH_OK;
}

void epitaph_signals_prepare_for_filter(void) {
    if (epitaph_is_started()) epitaph_signals_reset_themselves();
}

void epitaph_signals_uninstall(void) {
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++)
        give_up(signal);
}

epitaph_status epitaph_signal_set_handled(int signal, int is_handled) {
    if (!epitaph_signal_can_be_handled(signal)) return EPITAPH_INVALID_OPTION;
    epitaph_status status = EPITAPH_OK;
    epitaph_state_lock();
    if (!epitaph_is_started()) {
        status = EPITAPH_NOT_STARTED;
    } else if (is_handled) {
        long result = take(signal);
        if (result == 0) status = EPITAPH_INVALID_OPTION;
        if (result < 0) status = EPITAPH_SYSTEM_ERROR;
    } else {
        give_up(signal);
    }
    epitaph_state_unlock();
    return status;
}

uint64_t epitaph_handlers_displaced(void) {
    epitaph_state_lock();
    uint64_t displaced = epitaph_signals_displaced();
    epitaph_end_note_displaced(displaced);
    epitaph_state_unlock();
    return displaced;
}

int epitaph_handlers_check(int retake) {
    int count = 0;
    epitaph_state_lock();
    uint64_t displaced = epitaph_signals_displaced();
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        uint64_t bit = epitaph_signal_bit(signal);
        if ((displaced & bit) == 0) continue;
        count++;
        if (!retake || epitaph_signal_remember_later(signal) <= 0) continue;
        if (install(signal) == 0) displaced &= ~bit;
    }
    // exit(3) must not make a system call to find this out.
    epitaph_end_note_displaced(displaced);
    epitaph_state_unlock();
    return count;
}
