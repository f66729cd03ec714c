// SPDX-License-Identifier: Apache-2.0
//
// Options are published by a single store, because the watchdog takes no lock.

#include "hangs/hangs.h"

#include <stdlib.h>

static const epitaph_hang_options default_options = {
    .size_bytes = sizeof(epitaph_hang_options),
    .poll_ms = 500,
    .report_after_ms = 30000,
    .dumps_per_hour = 6,
};

static const epitaph_hang_options *current = &default_options;

const epitaph_hang_options *epitaph_hang_options_now(void) {
    return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

static uint32_t within(uint32_t value, uint32_t normal, uint32_t least, uint32_t most) {
    if (value == 0) return normal;
    if (value < least) return least;
    return value > most ? most : value;
}

uint64_t epitaph_hang_threshold_ms(uint32_t threshold_ms) {
    return within(threshold_ms, 2000, 100, 3600000);
}

epitaph_status epitaph_hang_options_set(const epitaph_hang_options *options) {
    if (options == NULL || options->size_bytes != sizeof *options) return EPITAPH_INVALID_OPTION;
    // Never freed: the watchdog may be reading it, and programs set options only once or twice.
    epitaph_hang_options *copy = malloc(sizeof *copy);
    if (copy == NULL) return EPITAPH_SYSTEM_ERROR;
    *copy = *options;
    copy->poll_ms = within(options->poll_ms, default_options.poll_ms, 50, 60000);
    copy->report_after_ms =
        within(options->report_after_ms, default_options.report_after_ms, 100, 86400000);
    copy->dumps_per_hour = within(options->dumps_per_hour, default_options.dumps_per_hour, 1,
                                  EPITAPH_HANG_DUMPS_LIMIT);
    __atomic_store_n(&current, copy, __ATOMIC_RELEASE);
    return EPITAPH_OK;
}
