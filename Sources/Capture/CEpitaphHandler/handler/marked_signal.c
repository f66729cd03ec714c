// SPDX-License-Identifier: Apache-2.0
//
// The handler of signals that end the process without a crash: their default action, after a mark.

#include "epitaph_handler.h"

#include "epitaph_file.h"
#include "epitaph_signals.h"
#include "processor/registers.h"
#include "signals/actions.h"

/// A forked child has its parent's handler, and one of vfork(2) its memory as well; neither has its
/// file. The end of a child that was handed a file is not reported.
static bool is_launch(const epitaph_capture_settings *settings) {
    return epitaph_process_is_owner() && !settings->is_handed_out &&
           settings->dump_file.owner_pid == epitaph_sys_getpid();
}

void epitaph_handle_marked_signal(int signal, siginfo_t *info, void *context) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_registers_allow_unaligned();
    // The kernel drops such signals of the default action for process 1: a child that is the first
    // of its namespace.
    if (epitaph_signal_is_ignored_by_init(signal, info)) return;
    if (epitaph_filters_are_new()) {
        epitaph_default_action_perform_silently(signal, info, context);
        return;
    }
    if (is_launch(settings)) {
        epitaph_dump_file_mark_signal(&settings->dump_file, signal, info);
        // The breadcrumb file outlives the process.
        epitaph_signal_note_put(signal, info);
    }
    epitaph_default_action_perform(signal, info, context);
}
