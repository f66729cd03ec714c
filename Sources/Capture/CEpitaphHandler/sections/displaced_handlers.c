// SPDX-License-Identifier: Apache-2.0
//
// DISPLACED_HANDLERS: signals whose crashes we would have missed.

#include "sections/sections.h"

#include "epitaph_signals.h"
#include "signals/usual_stack.h"

void epitaph_displaced_handlers_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    uint64_t handled = epitaph_capture_settings_now.handled_signals;
    // With virtual actions, the program's choice may have been left to the kernel.
    uint64_t can_be_left =
        __atomic_load_n(&epitaph_capture_settings_now.virtual_signals, __ATOMIC_ACQUIRE);
    bool has_begun = false;
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        uint64_t handler;
        if (!epitaph_signals_have(handled, signal)) continue;
        if (!epitaph_signal_is_displaced(signal, &handler)) continue;
        epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
        bool is_next = epitaph_usual_stack_has((const void *)handler, &next);
        if (is_next && epitaph_signals_have(can_be_left, signal)) continue;
        if (!has_begun) epitaph_writer_array_start(writer, EPITAPH_KEY_DISPLACED_HANDLERS);
        has_begun = true;
        epitaph_writer_map_start(writer, EPITAPH_KEY_DISPLACED_HANDLERS);
        epitaph_writer_i32(writer, EPITAPH_KEY_DISPLACED_SIGNAL, signal);
        epitaph_writer_u64(writer, EPITAPH_KEY_DISPLACING_HANDLER, handler);
        epitaph_writer_end(writer);
    }
    if (has_begun) epitaph_writer_end(writer);
}
