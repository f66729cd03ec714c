// SPDX-License-Identifier: Apache-2.0
//
// Live dumps: a capture of a process that lives on.
//
// The calling thread sends itself the stop signal and captures in its handler: so the kernel saves
// its registers as it does in a crash, and the same code runs.

#include "capture.h"
#include "owner.h"
#include "signals.h"
#include "sys.h"

#include <errno.h>

static epitaph_kernel_sigaction earlier_action;

static void capture_in_handler(int signal, siginfo_t *info, void *context) {
    (void)signal;
    epitaph_capture *capture = epitaph_capture_now;
    // Somebody else's SIGPROF, or another thread's.
    if (info->si_code != SI_TKILL || capture->live_tid != epitaph_sys_gettid()) return;
    capture->live_tid = 0;
    // Faults of the capture must reach the crash handler.
    const uint64_t faults = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) |
                            1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);
    epitaph_sys_sigprocmask(SIG_UNBLOCK, &faults, NULL);
    // Other threads are stopped with the same signal, by another handler that is put in now.
    epitaph_sys_sigaction(epitaph_capture_settings_now.stop_signal, &earlier_action, NULL);
    capture->signal = 0;
    capture->info = NULL;
    capture->context = context;
    epitaph_capture_run_live(capture);
}

static long capture_self(epitaph_capture *capture, epitaph_dump_file *file) {
    uint64_t mask = 1ull << (epitaph_capture_settings_now.stop_signal - 1);
    uint64_t earlier_mask;
    capture->live_file = file;
    capture->is_live = true;
    capture->live_tid = epitaph_sys_gettid();
    if (!epitaph_signal_install_stop_handler((void *)capture_in_handler, &earlier_action)) {
        return -EPERM;
    }
    epitaph_sys_sigprocmask(SIG_UNBLOCK, &mask, &earlier_mask);
    // To the sending thread itself a signal is delivered before the call returns.
    long result = epitaph_sys_tgkill(epitaph_sys_getpid(), capture->live_tid,
                                     epitaph_capture_settings_now.stop_signal);
    epitaph_sys_sigprocmask(SIG_SETMASK, &earlier_mask, NULL);
    if (result < 0 || capture->live_tid != 0) {
        epitaph_sys_sigaction(epitaph_capture_settings_now.stop_signal, &earlier_action, NULL);
        return result < 0 ? result : -EAGAIN;
    }
    return capture->writer.error == 0 ? 0 : -capture->writer.error;
}

long epitaph_live_capture(epitaph_dump_file *file, int directory, const char *name,
                          uint64_t timeout_ns) {
    epitaph_capture *capture = epitaph_capture_now;
    if (!epitaph_owner_claim(timeout_ns)) return -EBUSY;
    long result = name == NULL ? epitaph_dump_file_create(file)
                               : epitaph_dump_file_create_named(file, directory, name);
    if (result == 0) {
        result = capture_self(capture, file);
        if (result < 0) epitaph_dump_file_discard(file);
    }
    capture->is_live = false;
    epitaph_owner_release();
    return result;
}
