// SPDX-License-Identifier: Apache-2.0
//
// Signals at the return from our handler: the blocked ones, and whether the same one comes again.

#include "signals/actions.h"

#include "epitaph_settings.h"

bool epitaph_signal_happens_again(int signal, const siginfo_t *info) {
    // SI_KERNEL is the code of faults, but also of signals the kernel forced upon the thread for
    // other reasons; BUS_MCEERR_AO is about memory that the thread has not accessed.
    if (info->si_code <= 0 || info->si_code == SI_KERNEL) return false;
    if (signal == SIGBUS && info->si_code == BUS_MCEERR_AO) return false;
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

void epitaph_signal_set_blocked(ucontext_t *context, uint64_t mask) {
    // The kernel's mask is the first 64 bits of libc's.
    epitaph_bytes_copy(&context->uc_sigmask, &mask, sizeof mask);
}

uint64_t epitaph_signal_blocked(const ucontext_t *context) {
    uint64_t mask;
    epitaph_bytes_copy(&mask, &context->uc_sigmask, sizeof mask);
    return mask;
}

// rt_tgsigqueueinfo(2) lets a thread send itself anything. An emulator mistakes a queued fault for
// its own; the emulators we know have no vdso.
bool epitaph_signal_queue_again(int signal, const siginfo_t *info) {
    const uint64_t all = EPITAPH_ALL_SIGNALS;
    if (info->si_code > 0 && epitaph_capture_settings_now.facts.vdso_address == 0) return false;
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, NULL);
    return epitaph_sys_tgsigqueueinfo(epitaph_sys_getpid(), epitaph_sys_gettid(), signal, info) ==
           0;
}
