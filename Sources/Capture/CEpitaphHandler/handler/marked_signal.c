// SPDX-License-Identifier: Apache-2.0
//
// Handler of signals that end the process without a crash: a mark, then the default action.

#include "epitaph_handler.h"

#include "epitaph_file.h"
#include "epitaph_signals.h"
#include "handler/handler.h"
#include "signals/actions.h"

/// A forked child has its parent's handler, and a vfork child its memory too, but neither has its
/// file. The end of a child with a handed-out file is not reported.
static bool is_launch(const epitaph_capture_settings *settings) {
    return epitaph_process_is_owner() && !settings->is_handed_out &&
           settings->dump_file.owner_pid == epitaph_sys_getpid();
}

void epitaph_handle_marked_signal(int signal, siginfo_t *info, void *context) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_registers_allow_unaligned();
    // For process 1, as the first child of a namespace, the kernel drops such signals.
    if (epitaph_signal_is_ignored_by_init(signal, info)) return;
    if (epitaph_filters_are_new()) {
        epitaph_default_action_perform_silently(signal, info, context);
        return;
    }
    if (is_launch(settings)) {
        epitaph_held_settle(context);
        epitaph_dump_file_mark_signal(&settings->dump_file, signal, info);
        epitaph_signal_note_put(signal, info);
    }
    epitaph_default_action_perform(signal, info, context);
}
