// SPDX-License-Identifier: Apache-2.0
//
// Limits changed while the program runs.

#include "base/base.h"
#include "epitaph_settings.h"

/// The caller holds the state lock.
static epitaph_capture_limits latest(void) {
    return *epitaph_limits_latest();
}

#define HAS_FIELD(size_bytes, field) \
    (offsetof(epitaph_limits, field) + sizeof(((epitaph_limits *)0)->field) <= (size_bytes))

/// Since the first version the structure can end after any field from reserved_bytes on.
static bool is_known(const epitaph_limits *limits) {
    if (limits == NULL || !HAS_FIELD(limits->size_bytes, reserved_bytes)) return false;
    if (limits->size_bytes == sizeof *limits) return true;
#define ENDS_BEFORE(field, ...) \
    if (limits->size_bytes == offsetof(epitaph_limits, field)) return true;
    EPITAPH_LIMITS(ENDS_BEFORE)
#undef ENDS_BEFORE
    return false;
}

epitaph_status epitaph_limits_get(epitaph_limits *limits) {
    if (!is_known(limits)) return EPITAPH_INVALID_OPTION;
    epitaph_state_lock();
    bool is_started = epitaph_is_started();
    epitaph_capture_limits present = latest();
    epitaph_state_unlock();
    if (!is_started) return EPITAPH_NOT_STARTED;
#define GET(field, ...)                       \
    if (HAS_FIELD(limits->size_bytes, field)) \
        limits->field = (__typeof__(limits->field))present.field;
    EPITAPH_LIMITS(GET)
#undef GET
    return EPITAPH_OK;
}

epitaph_status epitaph_limits_set(const epitaph_limits *limits) {
    if (!is_known(limits)) return EPITAPH_INVALID_OPTION;
    epitaph_state_lock();
    bool is_started = epitaph_is_started();
    if (is_started) {
        epitaph_capture_limits next = latest();
#define CHANGE(field, ...) \
    if (HAS_FIELD(limits->size_bytes, field) && limits->field != 0) next.field = limits->field;
        EPITAPH_LIMITS(CHANGE)
#undef CHANGE
        epitaph_limits_publish(&next);
    }
    epitaph_state_unlock();
    return is_started ? EPITAPH_OK : EPITAPH_NOT_STARTED;
}
