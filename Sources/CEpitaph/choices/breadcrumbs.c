// SPDX-License-Identifier: Apache-2.0
//
// Breadcrumbs of the program, into the ring of the capture.

#include "choices/breadcrumbs.h"

#include "base/error.h"
#include "base/guarded_memory.h"
#include "epitaph.h"
#include "epitaph_breadcrumb_file.h"
#include "epitaph_breadcrumb_ring.h"
#include "epitaph_dump_format.h"
#include "epitaph_settings.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

_Static_assert((int)EPITAPH_LEVEL_DEBUG == EPITAPH_BREADCRUMB_DEBUG &&
                   (int)EPITAPH_LEVEL_INFO == EPITAPH_BREADCRUMB_INFO &&
                   (int)EPITAPH_LEVEL_WARNING == EPITAPH_BREADCRUMB_WARNING &&
                   (int)EPITAPH_LEVEL_ERROR == EPITAPH_BREADCRUMB_ERROR &&
                   (int)EPITAPH_LEVEL_FATAL == EPITAPH_BREADCRUMB_FATAL,
               "dumps have the levels of the program");

/// Of a clock whose reading enters the kernel on few machines only: vdso(7).
static uint64_t clock_ns(clockid_t clock) {
    static const uint64_t second_ns = 1000000000;
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * second_ns + (uint64_t)now.tv_nsec;
}

/// Its own function, because in a shared library a public one is called through the loader, which
/// a signal handler must not enter.
static void add(epitaph_level level, const char *category, size_t category_bytes,
                const char *message, size_t message_bytes) {
    epitaph_breadcrumb_ring *ring =
        __atomic_load_n(&epitaph_capture_settings_now.breadcrumbs, __ATOMIC_ACQUIRE);
    uint8_t file[16];
    bool has_file = epitaph_breadcrumb_file_is_there(file);
    if (ring == NULL && !has_file) return;
    // Anything else than a level, which C lets through, says nothing.
    bool is_level = level >= EPITAPH_LEVEL_DEBUG && level <= EPITAPH_LEVEL_FATAL;
    const epitaph_new_breadcrumb breadcrumb = {
        .time_ns = clock_ns(CLOCK_REALTIME),
        .monotonic_ns = clock_ns(CLOCK_MONOTONIC),
        .level = (uint8_t)(is_level ? level : EPITAPH_LEVEL_INFO),
        .category = category,
        .category_bytes = category == NULL ? 0 : category_bytes,
        .message = message,
        .message_bytes = message == NULL ? 0 : message_bytes,
    };
    if (ring != NULL) epitaph_breadcrumb_ring_put(ring, &breadcrumb);
    if (has_file) epitaph_breadcrumb_file_put(&breadcrumb);
}

void epitaph_breadcrumb_add_bytes(epitaph_level level, const char *category, size_t category_bytes,
                                  const char *message, size_t message_bytes) {
    add(level, category, category_bytes, message, message_bytes);
}

void epitaph_breadcrumb_add(epitaph_level level, const char *category, const char *message) {
    // One byte more than the file keeps, to see whether the text is cut.
    add(level, category,
        category == NULL ? 0 : strnlen(category, EPITAPH_BREADCRUMB_CATEGORY_SIZE + 1), message,
        message == NULL ? 0 : strnlen(message, EPITAPH_BREADCRUMB_FILE_MESSAGE_SIZE + 1));
}

// A ring that another one takes the place of stays where it is: a thread may be writing in it.
epitaph_status epitaph_breadcrumbs_prepare(const epitaph_options *options, epitaph_error *error) {
    epitaph_breadcrumb_ring **place = &epitaph_capture_settings_now.breadcrumbs;
    size_t present = *place == NULL ? 0 : (*place)->slot_count;
    if (present == options->breadcrumb_limit) return EPITAPH_OK;
    epitaph_breadcrumb_ring *ring = NULL;
    if (options->breadcrumb_limit > 0) {
        ring = epitaph_guarded_memory_make(epitaph_breadcrumb_ring_size(options->breadcrumb_limit));
        if (ring == NULL) {
            return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0, "no memory for breadcrumbs");
        }
        ring->slot_count = options->breadcrumb_limit;
    }
    __atomic_store_n(place, ring, __ATOMIC_RELEASE);
    return EPITAPH_OK;
}
