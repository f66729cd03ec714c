// SPDX-License-Identifier: Apache-2.0
//
// Limits that change while the program runs. A capture copies them as a whole when it begins.

#include "epitaph_settings.h"

#include "system/bytes.h"

enum { ATTEMPT_LIMIT = 100 };

void epitaph_limits_publish(const epitaph_capture_limits *limits) {
    epitaph_limits_box *box = &epitaph_capture_settings_now.next_limits;
    uint32_t next = box->changes + 1;
    if (next == 0) next = 2;
    // A reader that sees any of the bytes written next must also see that the other copy is
    // current.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    epitaph_bytes_copy(&box->values[next % 2], limits, sizeof *limits);
    __atomic_store_n(&box->changes, next, __ATOMIC_RELEASE);
}

void epitaph_limits_load(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    const epitaph_limits_box *box = &settings->next_limits;
    // The current copy is only overwritten after another one became current.
    for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
        uint32_t changes = __atomic_load_n(&box->changes, __ATOMIC_ACQUIRE);
        if (changes == 0) return;
        epitaph_bytes_copy(&settings->limits, &box->values[changes % 2], sizeof settings->limits);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&box->changes, __ATOMIC_RELAXED) == changes) return;
    }
}

const epitaph_capture_limits *epitaph_limits_latest(void) {
    const epitaph_limits_box *box = &epitaph_capture_settings_now.next_limits;
    uint32_t changes = __atomic_load_n(&box->changes, __ATOMIC_ACQUIRE);
    return &box->values[changes % 2];
}
