// SPDX-License-Identifier: Apache-2.0
//
// Descriptors held in reserve, so that a process with a full descriptor table can open files while
// it dies.

#include "capture.h"

#include "sys.h"

void epitaph_reserve_descriptors(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++) {
        long fd = epitaph_sys_dup(settings->directory_fd);
        settings->reserved_fds[i] = fd < 0 ? -1 : (int)fd;
    }
}

void epitaph_release_descriptors(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++) {
        if (settings->reserved_fds[i] >= 0) epitaph_sys_close(settings->reserved_fds[i]);
        settings->reserved_fds[i] = -1;
    }
}
