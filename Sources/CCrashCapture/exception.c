// SPDX-License-Identifier: Apache-2.0
//
// The SIGNAL_EXCEPTION section: what hit the process and where.

#include "capture.h"

enum { KERNEL_SIGINFO_SIZE = 128 };

/// si_addr is there for faults alone; elsewhere its bytes are a pid or a timer. sigaction(2)
static bool has_address(int signal, int code) {
    if (code <= 0) return false;
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGTRAP || signal == SIGSYS;
}

static bool has_sender(int code) {
    return code == SI_USER || code == SI_TKILL || code == SI_QUEUE;
}

void epitaph_exception_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const siginfo_t *info = capture->info;
    epitaph_writer_map_start(writer, EPITAPH_KEY_SIGNAL_EXCEPTION);
    epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_NUMBER, capture->signal);
    epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_CODE, info->si_code);
    if (has_address(capture->signal, info->si_code)) {
        // For SIGSYS this is si_call_addr, which lies in the same place.
        epitaph_writer_u64(writer, EPITAPH_KEY_SIGNAL_ADDRESS, (uint64_t)info->si_addr);
    }
    if (has_sender(info->si_code)) {
        epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_SENDER_PID, info->si_pid);
        epitaph_writer_u32(writer, EPITAPH_KEY_SIGNAL_SENDER_UID, info->si_uid);
    }
    if (info->si_errno != 0) {
        epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_ERRNO, info->si_errno);
    }
    epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_ID, (uint64_t)capture->tid);
    epitaph_writer_bytes(writer, EPITAPH_KEY_SIGNAL_INFO, info, KERNEL_SIGINFO_SIZE);
    epitaph_registers_write(writer, capture->context, false);
    epitaph_writer_end(writer);
}
