// SPDX-License-Identifier: Apache-2.0
//
// What a program may choose while it runs. The handler takes no lock: it sees each choice as it was
// before or as it is after.

#include "internal.h"

#include <string.h>

void epitaph_set_enabled(int is_enabled) {
    __atomic_store_n(&epitaph_capture_settings_now.is_disabled, is_enabled ? 0 : 1,
                     __ATOMIC_RELEASE);
}

int epitaph_is_enabled(void) {
    return epitaph_is_started() &&
           __atomic_load_n(&epitaph_capture_settings_now.is_disabled, __ATOMIC_ACQUIRE) == 0;
}

void epitaph_message_set(const char *text) {
    size_t count = text == NULL ? 0 : strnlen(text, EPITAPH_MESSAGE_LIMIT);
    epitaph_message_board_put(&epitaph_capture_settings_now.app_messages, text, count);
}

epitaph_status epitaph_signal_set_handled(int signal, int is_handled) {
    if (!epitaph_signal_can_be_handled(signal)) return EPITAPH_INVALID_OPTION;
    epitaph_status status = EPITAPH_OK;
    epitaph_state_lock();
    if (!epitaph_is_started()) {
        status = EPITAPH_NOT_STARTED;
    } else if (is_handled) {
        long result = epitaph_signal_take(signal);
        if (result == 0) status = EPITAPH_INVALID_OPTION;
        if (result < 0) status = EPITAPH_SYSTEM_ERROR;
    } else {
        epitaph_signal_give_up(signal);
    }
    epitaph_state_unlock();
    return status;
}

int epitaph_handlers_check(int retake) {
    int count = 0;
    epitaph_state_lock();
    uint64_t displaced = epitaph_signals_displaced();
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        uint64_t bit = 1ull << (signal - 1);
        if ((displaced & bit) == 0) continue;
        count++;
        if (!retake || epitaph_signal_remember_newcomer(signal) <= 0) continue;
        if (epitaph_signal_install(signal) == 0) displaced &= ~bit;
    }
    // exit(3) may make no system call to find it out itself.
    epitaph_end_note_displaced(displaced);
    epitaph_state_unlock();
    return count;
}
