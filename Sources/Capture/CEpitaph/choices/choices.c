// SPDX-License-Identifier: Apache-2.0
//
// Settings that a program may change while it runs.

#include "base/base.h"
#include "epitaph_settings.h"

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
