// SPDX-License-Identifier: Apache-2.0
//
// The capture of this process, and what becomes of its files in a forked child.

#include "capture/capture.h"

#include "epitaph_handler.h"

epitaph_capture *epitaph_capture_now;

// The child may become another user and would still have the descriptors. This runs in the middle
// of fork(3): there is no other thread.
void epitaph_forked_child_leave_files(bool is_heir) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_dump_file *armed = &settings->dump_file;
    __atomic_store_n(&armed->state, EPITAPH_FILE_CLOSED, __ATOMIC_RELEASE);
    // The head is not mapped in the child.
    armed->head = NULL;
    if (!is_heir) epitaph_owned_file_close(&armed->file);
    // Another thread of the parent may be in the middle of a capture.
    if (epitaph_capture_now != NULL) epitaph_owned_file_close(&epitaph_capture_now->file.file);
    // It describes the parent. The directory's descriptors stay: they give the child no rights that
    // it would not have without them.
    epitaph_owned_file_close(&settings->status_file);
}
