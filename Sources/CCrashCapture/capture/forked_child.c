// SPDX-License-Identifier: Apache-2.0
//
// Closes files of the parent in a forked child, which may become another user and would still have
// their descriptors. QUIET-TIME, in the middle of fork(3): no other thread runs.

#include "epitaph_forked_child.h"

#include "capture/workspace.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_owned_file.h"
#include "epitaph_settings.h"

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
