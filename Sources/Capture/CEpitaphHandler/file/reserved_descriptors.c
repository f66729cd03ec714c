// SPDX-License-Identifier: Apache-2.0
//
// Descriptors held in reserve, so that a process with a full descriptor table can open files while
// it dies.

#include "epitaph_file.h"

#include "epitaph_settings.h"

void epitaph_reserve_descriptors(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    int directory = epitaph_pending_directory();
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++) {
        epitaph_owned_file *reserved = &settings->reserved_files[i];
        // Another thread has not released this one.
        if (reserved->fd >= 0) continue;
        if (directory >= 0) epitaph_owned_file_duplicate_low(reserved, directory);
    }
}

void epitaph_release_descriptors(void) {
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++)
        epitaph_owned_file_close(&epitaph_capture_settings_now.reserved_files[i]);
}
