// SPDX-License-Identifier: Apache-2.0
//
// What a program is linked with instead of Epitaph to see how it would have ended without us.

#include <epitaph.h>

epitaph_status epitaph_start(const epitaph_options *options, epitaph_error *error) {
    (void)options;
    (void)error;
    return EPITAPH_OK;
}

void epitaph_stop(void) {}

epitaph_status epitaph_live_dump(char *name, epitaph_error *error) {
    (void)name;
    (void)error;
    return EPITAPH_OK;
}

epitaph_status epitaph_live_dump_at(const char *path, epitaph_error *error) {
    (void)path;
    (void)error;
    return EPITAPH_OK;
}

int epitaph_handlers_check(int retake) {
    (void)retake;
    return 0;
}

void epitaph_set_enabled(int is_enabled) {
    (void)is_enabled;
}
