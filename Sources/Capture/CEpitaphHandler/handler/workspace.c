// SPDX-License-Identifier: Apache-2.0
//
// Allocated at the start: too big for an alternate stack.

#include "epitaph_handler.h"

#include "file/armed_file.h"
#include "modules/modules.h"
#include "privacy/privacy.h"
#include "regions/regions.h"
#include "stacks/stacks.h"
#include "threads/threads.h"

typedef struct workspace {
    epitaph_capture capture;
    epitaph_modules modules;
    epitaph_private_texts private_texts;
    epitaph_regions regions;
    epitaph_stacks stacks;
    epitaph_thread_slots threads;
    epitaph_tracer tracer;
} workspace;

size_t epitaph_capture_workspace_size(void) {
    return sizeof(workspace);
}

/// Touches the pages now instead of in a crash.
static void touch(volatile uint8_t *bytes, size_t count) {
    enum { PAGE_SIZE_AT_LEAST = 4096 };
    for (size_t i = 0; i < count; i += PAGE_SIZE_AT_LEAST)
        bytes[i] = 0;
}

static void find_parts(epitaph_capture *capture) {
    workspace *workspace = (struct workspace *)capture;
    capture->modules = &workspace->modules;
    capture->private_texts = &workspace->private_texts;
    capture->regions = &workspace->regions;
    capture->stacks = &workspace->stacks;
    capture->threads = &workspace->threads;
    __atomic_store_n(&capture->tracer, &workspace->tracer, __ATOMIC_RELEASE);
}

// Enough for a crash of a small program; big ones touch more later.
void epitaph_capture_workspace_set(void *memory) {
    enum { MAPPINGS_TOUCHED = 256, TEXT_TOUCHED = 16384, SLOTS_TOUCHED = 32 };
    enum { SCRATCH_TOUCHED = 16384 };
    epitaph_capture_set(memory, find_parts);
    epitaph_capture *capture = epitaph_capture_now();
    epitaph_launch_writer_set(&capture->writer);
    touch((volatile uint8_t *)&capture->writer, sizeof capture->writer);
    touch((volatile uint8_t *)capture->mappings.entries,
          MAPPINGS_TOUCHED * sizeof *capture->mappings.entries);
    touch((volatile uint8_t *)capture->mappings.text, TEXT_TOUCHED);
    touch((volatile uint8_t *)capture->threads->entries,
          SLOTS_TOUCHED * sizeof *capture->threads->entries);
    touch(capture->scratch, SCRATCH_TOUCHED);
}

void epitaph_capture_workspace_forget(void) {
    epitaph_capture_set(NULL, NULL);
    epitaph_launch_writer_set(NULL);
}
