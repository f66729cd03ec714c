// SPDX-License-Identifier: Apache-2.0
//
// Limits changed while the program runs.

#include "base/state.h"
#include "epitaph.h"
#include "epitaph_capture_limits.h"

#include <stdbool.h>

static const uint64_t millisecond_ns = 1000000;

/// The limits that were set last; the caller holds the state lock.
static epitaph_capture_limits latest(void) {
    return *epitaph_limits_latest();
}

/// Also accepts a program that was compiled before there was a field for unwind tables.
static bool is_known(const epitaph_limits *limits) {
    return limits != NULL && (limits->size_bytes == sizeof *limits ||
                              limits->size_bytes == offsetof(epitaph_limits, unwind_tables_bytes));
}

/// Whether the caller's structure has the field: that of an older program may end before it.
#define HAS_FIELD(limits, field) \
    (offsetof(epitaph_limits, field) + sizeof(limits)->field <= (limits)->size_bytes)

epitaph_status epitaph_limits_get(epitaph_limits *limits) {
    if (!is_known(limits)) return EPITAPH_INVALID_OPTION;
    epitaph_state_lock();
    bool is_started = epitaph_is_started();
    epitaph_capture_limits present = latest();
    epitaph_state_unlock();
    if (!is_started) return EPITAPH_NOT_STARTED;
#define GET_BYTES(field, value) \
    if (HAS_FIELD(limits, field)) limits->field = present.field;
#define GET_MILLISECONDS(field, value) \
    limits->field##_ms = (uint32_t)(present.field##_ns / millisecond_ns);
    EPITAPH_LIMIT_TABLE(GET_BYTES, GET_MILLISECONDS)
#undef GET_BYTES
#undef GET_MILLISECONDS
    return EPITAPH_OK;
}

static void change(uint64_t *value, uint64_t to) {
    if (to != 0) *value = to;
}

epitaph_status epitaph_limits_set(const epitaph_limits *limits) {
    if (!is_known(limits)) return EPITAPH_INVALID_OPTION;
    epitaph_state_lock();
    bool is_started = epitaph_is_started();
    if (is_started) {
        epitaph_capture_limits next = latest();
#define CHANGE_BYTES(field, value) \
    if (HAS_FIELD(limits, field)) change(&next.field, limits->field);
#define CHANGE_MILLISECONDS(field, value) \
    change(&next.field##_ns, limits->field##_ms *millisecond_ns);
        EPITAPH_LIMIT_TABLE(CHANGE_BYTES, CHANGE_MILLISECONDS)
#undef CHANGE_BYTES
#undef CHANGE_MILLISECONDS
        epitaph_limits_publish(&next);
    }
    epitaph_state_unlock();
    return is_started ? EPITAPH_OK : EPITAPH_NOT_STARTED;
}
