// SPDX-License-Identifier: Apache-2.0
//
// Live dumps. The calling thread sends itself the stop signal and captures in its handler, so that
// the kernel saves its registers as in a crash, and the same code runs.

#include "epitaph_handler.h"

#include "epitaph_file.h"
#include "handler/handler.h"
#include "signals/actions.h"

#include <errno.h>

// Any of this signal serves: the kernel drops siginfo when RLIMIT_SIGPENDING is used up, and ours
// while one of the program's is pending.
static bool capture_in_handler(const siginfo_t *info, ucontext_t *context) {
    (void)info;
    epitaph_capture *capture = epitaph_capture_now();
    if (capture->live_tid == 0 || capture->live_tid != epitaph_sys_gettid()) return false;
    capture->live_tid = 0;
    capture->signal = 0;
    capture->info = NULL;
    capture->context = context;
    epitaph_owner_note_stack(context, __builtin_frame_address(0));
    epitaph_capture_run_live(capture);
    return true;
}

static long capture_self(epitaph_capture *capture, epitaph_dump_file *file) {
    uint64_t mask = epitaph_signal_bit(epitaph_capture_settings_now.stop_signal);
    uint64_t previous_mask;
    int32_t tid = epitaph_sys_gettid();
    capture->live_file = file;
    capture->is_live = true;
    capture->live_tid = tid;
    if (!epitaph_stop_signal_take(EPITAPH_STOP_SIGNAL_LIVE, capture_in_handler)) return -EPERM;
    epitaph_stop_signal_keep_others(tid);
    epitaph_sys_sigprocmask(SIG_UNBLOCK, &mask, &previous_mask);
    // A signal to the sending thread itself is delivered before the call returns.
    long result = epitaph_stop_signal_send(epitaph_sys_getpid(), tid);
    epitaph_sys_sigprocmask(SIG_SETMASK, &previous_mask, NULL);
    epitaph_stop_signal_give_back(EPITAPH_STOP_SIGNAL_LIVE);
    // The program may block it, and gets it when it does not any more.
    epitaph_stop_signal_give_kept(true);
    if (capture->live_tid != 0) {
        capture->live_tid = 0;
        return result < 0 ? result : -EAGAIN;
    }
    return capture->writer.error == 0 ? 0 : -capture->writer.error;
}

long epitaph_live_capture(epitaph_dump_file *file, const epitaph_report_request *request,
                          int directory, const char *name, uint64_t timeout_ns) {
    epitaph_capture *capture = epitaph_capture_now();
    if (!epitaph_owner_claim(timeout_ns)) return -EBUSY;
    long result = name == NULL ? epitaph_dump_file_create_headless(file)
                               : epitaph_dump_file_create_named(file, directory, name);
    capture->request = request;
    if (result == 0) {
        result = capture_self(capture, file);
        if (result < 0) epitaph_dump_file_discard(file);
    }
    capture->request = NULL;
    capture->is_live = false;
    epitaph_owner_release();
    return result;
}
