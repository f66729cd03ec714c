// SPDX-License-Identifier: Apache-2.0
//
// Linked into a program that knows nothing of Epitaph: starts it before main, as the preloaded
// library does, with what the same variables say.

#include <epitaph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

__attribute__((constructor)) static void start(void) {
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    epitaph_error error;
    const char *rate = strchr(variable("EPITAPH_HEAP_SAMPLING"), '/');
    options.database_path = variable("EPITAPH_DATABASE");
    if (*options.database_path == 0) return;
    options.bundle_id = "started";
    options.heap_sampling = rate != NULL ? strtoul(rate + 1, NULL, 10) : 0;
    options.heap_overwrites_end = strcmp(variable("EPITAPH_HEAP_OVERWRITES_END"), "yes") == 0;
    if (epitaph_start(&options, &error) != EPITAPH_OK) fprintf(stderr, "%s\n", error.message);
    if (options.heap_sampling == 0 || epitaph_heap_check(NULL, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
}
