// SPDX-License-Identifier: Apache-2.0
//
// SIGNAL_EXCEPTION: which signal, and where.

#include "sections/sections.h"

#include "signals/actions.h"

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
