// SPDX-License-Identifier: Apache-2.0
//
// Loaded into programs that know nothing of Epitaph (LD_PRELOAD): starts it before their main.

#include <epitaph.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void start(void) {
    char bundle[128];
    snprintf(bundle, sizeof bundle, "org.example.%s", program_invocation_short_name);
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    // The library that Scripts/install builds has them: the table "preload".
    options.virtual_signal_actions = 0;
    options.database_path = getenv("EPITAPH_LAB_DATABASE");
    options.bundle_id = bundle;
    epitaph_error error;
    if (epitaph_start(&options, &error) != EPITAPH_OK) fprintf(stderr, "%s\n", error.message);
}
