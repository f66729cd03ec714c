// SPDX-License-Identifier: Apache-2.0
//
// The memory a capture works in, allocated at the start because it is too big for an alternate
// stack.

#include "capture/workspace.h"

#include "capture/capture.h"
#include "epitaph_workspace.h"
#include "file/arming.h"

epitaph_capture *epitaph_capture_now;

size_t epitaph_capture_workspace_size(void) {
    return sizeof(epitaph_capture);
}

/// Makes the kernel provide the pages of `count` bytes now instead of in a crash.
static void touch(volatile uint8_t *bytes, size_t count) {
    enum { PAGE_SIZE_AT_LEAST = 4096 };
    for (size_t i = 0; i < count; i += PAGE_SIZE_AT_LEAST)
        bytes[i] = 0;
}

// What a crash of a small program needs; big ones touch more at that time.
void epitaph_capture_workspace_set(void *workspace) {
    enum { MAPPINGS_TOUCHED = 256, TEXT_TOUCHED = 16384, SLOTS_TOUCHED = 32 };
    enum { SCRATCH_TOUCHED = 16384 };
    epitaph_capture *capture = workspace;
    epitaph_capture_now = capture;
    epitaph_launch_writer_set(&capture->writer);
    touch((volatile uint8_t *)&capture->writer, sizeof capture->writer);
    touch((volatile uint8_t *)capture->mappings.entries,
          MAPPINGS_TOUCHED * sizeof *capture->mappings.entries);
    touch((volatile uint8_t *)capture->mappings.text, TEXT_TOUCHED);
    touch((volatile uint8_t *)capture->threads.entries,
          SLOTS_TOUCHED * sizeof *capture->threads.entries);
    touch(capture->scratch, SCRATCH_TOUCHED);
}
