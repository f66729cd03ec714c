// SPDX-License-Identifier: Apache-2.0
//
// Whether Epitaph is started, and the lock for changing that.

#include "base/base.h"

#include "epitaph_settings.h"

void epitaph_state_lock(void) {
    epitaph_process_lock_take(EPITAPH_LOCK_STATE);
}

void epitaph_state_unlock(void) {
    epitaph_process_lock_give(EPITAPH_LOCK_STATE);
}

bool epitaph_is_started(void) {
    return __atomic_load_n(&epitaph_capture_settings_now.is_started, __ATOMIC_ACQUIRE) != 0;
}

epitaph_status epitaph_started_check(epitaph_error *error) {
    if (epitaph_is_started()) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_NOT_STARTED, 0, "Epitaph has not been started");
}
