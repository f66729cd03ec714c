// SPDX-License-Identifier: Apache-2.0

#include "starting.h"

#include <epitaph.h>
#include <stdio.h>
#include <stdlib.h>

static void start(const char *database, int virtual_actions) {
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.virtual_signal_actions = virtual_actions;
    options.database_path = database;
    options.bundle_id = "org.example.guest";
    epitaph_error error;
    if (epitaph_start(&options, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(70);
}

void start_epitaph(const char *database) {
    start(database, 1);
}

void start_displaceable_epitaph(const char *database) {
    start(database, 0);
}
