// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

/// Whether the handler lies in the Swift runtime, where only the backtracer's is.
static int is_swift_backtracer(uint64_t handler) {
    Dl_info info;
    if (handler <= (uint64_t)SIG_IGN || dladdr((void *)handler, &info) == 0) return 0;
    return info.dli_fname != NULL && strstr(info.dli_fname, "libswiftCore.so") != NULL;
}

/// Through libc, for its signal trampoline. Faults inside the handler must come back to it, so it
/// does not block them; other signals wait until the end.
static int install(int signal) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = epitaph_handle_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigdelset(&action.sa_mask, faults[i]);
    }
    return sigaction(signal, &action, NULL);
}

epitaph_status epitaph_signals_install(const int *signals, epitaph_swift_backtracer backtracer,
                                       epitaph_error *error) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    for (; *signals != 0; signals++) {
        uint64_t bit = 1ull << (*signals - 1);
        if ((settings->handled_signals & bit) != 0) continue;
        long result = epitaph_signal_remember(*signals);
        if (result == 0) continue;
        if (backtracer == EPITAPH_SWIFT_BACKTRACER_REPLACE &&
            is_swift_backtracer(epitaph_signal_remembered_handler(*signals))) {
            settings->replaced_signals |= bit;
        }
        if (result < 0 || install(*signals) != 0) {
            int reason = result < 0 ? (int)-result : errno;
            epitaph_signals_uninstall();
            return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, reason,
                                     "cannot install a handler for signal %d", *signals);
        }
        settings->handled_signals |= bit;
        epitaph_signal_take_pattern(*signals);
    }
    return EPITAPH_OK;
}

void epitaph_signals_uninstall(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        if ((settings->handled_signals >> (signal - 1) & 1) != 0) epitaph_signal_restore(signal);
    }
    settings->handled_signals = 0;
    settings->replaced_signals = 0;
}
