// SPDX-License-Identifier: Apache-2.0
//
// Notes memory pressure in the armed file and in files armed later.

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_settings.h"

void epitaph_memory_warning_note(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_state_lock();
    if (epitaph_is_started() && epitaph_process_is_owner() && !settings->is_handed_out) {
        settings->has_memory_warning = true;
        epitaph_dump_file_note_memory_warning(&settings->dump_file);
    }
    epitaph_state_unlock();
}
