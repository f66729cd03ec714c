// SPDX-License-Identifier: Apache-2.0
//
// The SIGNAL_EXCEPTION section: what hit the process and where.

#include "exception.h"

#include "thread_parts.h"

/// si_addr is there for faults alone; elsewhere its bytes are a pid or a timer. sigaction(2)
static bool has_address(int signal, int code) {
    if (code <= 0) return false;
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGTRAP || signal == SIGSYS;
}

static bool has_sender(int code) {
    return code == SI_USER || code == SI_TKILL || code == SI_QUEUE;
}

epitaph_signal_values epitaph_signal_values_of(int signal, const siginfo_t *info) {
    epitaph_signal_values values;
    values.has_address = has_address(signal, info->si_code);
    values.has_sender = has_sender(info->si_code);
    // For SIGSYS this is si_call_addr, which lies in the same place.
    values.address = values.has_address ? (uint64_t)info->si_addr : 0;
    values.sender_pid = values.has_sender ? info->si_pid : 0;
    values.sender_uid = values.has_sender ? info->si_uid : 0;
    return values;
}

void epitaph_exception_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const siginfo_t *info = capture->info;
    epitaph_signal_values values = epitaph_signal_values_of(capture->signal, info);
    epitaph_writer_map_start(writer, EPITAPH_KEY_SIGNAL_EXCEPTION);
    epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_NUMBER, capture->signal);
    epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_CODE, info->si_code);
    if (values.has_address) {
        epitaph_writer_u64(writer, EPITAPH_KEY_SIGNAL_ADDRESS, values.address);
    }
    if (values.has_sender) {
        epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_SENDER_PID, values.sender_pid);
        epitaph_writer_u32(writer, EPITAPH_KEY_SIGNAL_SENDER_UID, values.sender_uid);
    }
    if (info->si_errno != 0) {
        epitaph_writer_i32(writer, EPITAPH_KEY_SIGNAL_ERRNO, info->si_errno);
    }
    epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_ID, (uint64_t)capture->tid);
    epitaph_writer_bytes(writer, EPITAPH_KEY_SIGNAL_INFO, info, EPITAPH_KERNEL_SIGINFO_SIZE);
    epitaph_thread_registers_write(capture, capture->context, false);
    epitaph_writer_end(writer);
}
