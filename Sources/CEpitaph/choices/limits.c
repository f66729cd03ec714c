// SPDX-License-Identifier: Apache-2.0
//
// Limits changed while the program runs.

#include "base/state.h"
#include "epitaph.h"
#include "epitaph_capture_limits.h"
#include "epitaph_settings.h"

static const uint64_t millisecond_ns = 1000000;

/// The limits that were set last; the state is locked.
static epitaph_capture_limits latest(void) {
    const epitaph_limits_box *box = &epitaph_capture_settings_now.next_limits;
    return box->values[box->changes % 2];
}

/// Also of a program that was compiled when there was no field for unwind tables.
static int is_known(const epitaph_limits *limits) {
    return limits != NULL && (limits->size_bytes == sizeof *limits ||
                              limits->size_bytes == offsetof(epitaph_limits, unwind_tables_bytes));
}

static int has_unwind_tables(const epitaph_limits *limits) {
    return limits->size_bytes == sizeof *limits;
}

epitaph_status epitaph_limits_get(epitaph_limits *limits) {
    if (!is_known(limits)) return EPITAPH_INVALID_OPTION;
    epitaph_state_lock();
    int is_started = epitaph_is_started();
    epitaph_capture_limits present = latest();
    epitaph_state_unlock();
    if (!is_started) return EPITAPH_NOT_STARTED;
    limits->stop_timeout_ms = (uint32_t)(present.stop_timeout_ns / millisecond_ns);
    limits->capture_timeout_ms = (uint32_t)(present.capture_timeout_ns / millisecond_ns);
    limits->crashing_stack_bytes = present.crashing_stack_bytes;
    limits->other_stack_bytes = present.other_stack_bytes;
    limits->all_stacks_bytes = present.all_stacks_bytes;
    limits->crashing_memory_bytes = present.crashing_memory_bytes;
    limits->other_memory_bytes = present.other_memory_bytes;
    limits->all_memory_bytes = present.all_memory_bytes;
    limits->registered_memory_bytes = present.registered_memory_bytes;
    limits->reserved_bytes = present.reserved_bytes;
    if (has_unwind_tables(limits)) limits->unwind_tables_bytes = present.unwind_tables_bytes;
    return EPITAPH_OK;
}

static void change(uint64_t *value, uint64_t to) {
    if (to != 0) *value = to;
}

epitaph_status epitaph_limits_set(const epitaph_limits *limits) {
    if (!is_known(limits)) return EPITAPH_INVALID_OPTION;
    epitaph_state_lock();
    int is_started = epitaph_is_started();
    if (is_started) {
        epitaph_capture_limits next = latest();
        change(&next.stop_timeout_ns, limits->stop_timeout_ms * millisecond_ns);
        change(&next.capture_timeout_ns, limits->capture_timeout_ms * millisecond_ns);
        change(&next.crashing_stack_bytes, limits->crashing_stack_bytes);
        change(&next.other_stack_bytes, limits->other_stack_bytes);
        change(&next.all_stacks_bytes, limits->all_stacks_bytes);
        change(&next.crashing_memory_bytes, limits->crashing_memory_bytes);
        change(&next.other_memory_bytes, limits->other_memory_bytes);
        change(&next.all_memory_bytes, limits->all_memory_bytes);
        change(&next.registered_memory_bytes, limits->registered_memory_bytes);
        change(&next.reserved_bytes, limits->reserved_bytes);
        if (has_unwind_tables(limits))
            change(&next.unwind_tables_bytes, limits->unwind_tables_bytes);
        epitaph_limits_publish(&next);
    }
    epitaph_state_unlock();
    return is_started ? EPITAPH_OK : EPITAPH_NOT_STARTED;
}
