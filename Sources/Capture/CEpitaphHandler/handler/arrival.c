// SPDX-License-Identifier: Apache-2.0
//
// The beginning of a capture, and of its file.

#include "handler/arrival.h"

#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "file/armed_file.h"

void epitaph_arrival_begin(epitaph_capture *capture, epitaph_arrival *arrived) {
    capture->nested_faults = 0;
    capture->is_live = false;
    capture->may_survive = false;
    capture->has_begun = false;
    capture->is_restarted = false;
    capture->signal = arrived->signal;
    capture->info = arrived->info;
    capture->context = arrived->context;
    capture->has_armed_file = arrived->has_file;
    epitaph_owner_note_stack(arrived->context, arrived->frame);
    epitaph_arrival_forget(&arrived->mark);
}

bool epitaph_arrival_store_record(epitaph_arrival *arrived) {
    epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    arrived->has_file = false;
    if (!epitaph_process_is_owner()) return false;
    if (!epitaph_dump_file_take(file) && !epitaph_held_take_back(arrived->context)) return false;
    arrived->has_file = true;
    epitaph_first_record_store(file, arrived->signal, arrived->info, arrived->context);
    return true;
}

void epitaph_arrival_take_back_record(epitaph_arrival *arrived) {
    epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    if (!arrived->has_file) return;
    arrived->has_file = false;
    epitaph_head_clear_to(file, epitaph_first_record_end(file));
    __atomic_store_n(&file->state, EPITAPH_FILE_ARMED, __ATOMIC_RELEASE);
}
