// SPDX-License-Identifier: Apache-2.0
//
// The process's capture, and its files in a forked child.

#include "capture/capture.h"

#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_placement.h"

static epitaph_capture *present;
static void (*find_parts_of)(epitaph_capture *capture);

void epitaph_capture_set(epitaph_capture *capture, void (*find_parts)(epitaph_capture *capture)) {
    present = capture;
    find_parts_of = find_parts;
}

epitaph_capture *epitaph_capture_now(void) {
    bool is_empty = present != NULL && __atomic_load_n(&present->tracer, __ATOMIC_ACQUIRE) == NULL;
    if (is_empty) find_parts_of(present);
    return present;
}

void epitaph_spare_files_leave(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint32_t count = __atomic_exchange_n(&settings->spare_file_count, 0, __ATOMIC_ACQ_REL);
    for (uint32_t i = 0; i < count; i++) {
        epitaph_dump_file *file = &settings->spare_files[i];
        if (epitaph_process_is_owner()) epitaph_dump_file_discard(file);
        epitaph_dump_file_close(file);
    }
}

// Runs inside fork(3), single-threaded. The child may become another user and keep descriptors.
EPITAPH_RUN_IN_CHILDREN void epitaph_forked_child_leave_files(bool is_heir, bool owes_file) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_dump_file *armed = &settings->dump_file;
    __atomic_store_n(&armed->state, EPITAPH_FILE_CLOSED, __ATOMIC_RELEASE);
    armed->head = NULL;
    if (!is_heir) {
        epitaph_owned_file_close(&armed->file);
        epitaph_spare_files_leave();
    }
    // Another thread of the parent may be capturing.
    if (epitaph_owner_is_set()) epitaph_owned_file_close(&settings->taken_file);
    // It describes the parent. The directory's descriptors stay: they give the child no new rights.
    epitaph_owned_file_close(&settings->status_file);
    settings->owing_pid = owes_file ? epitaph_sys_getpid() : 0;
}
