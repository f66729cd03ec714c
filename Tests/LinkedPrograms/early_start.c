// SPDX-License-Identifier: Apache-2.0
//
// Starts Epitaph before main for a program that knows nothing of it, with the database that the
// variable DATABASE names; or, with -DLOADS, loads the library PLUGIN, in which this file is, with
// libepitaph.so behind it.

#include <dlfcn.h>
#include <epitaph.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    exit(70);
}

__attribute__((constructor)) static void start(void) {
#ifdef LOADS
    if (dlopen(getenv("PLUGIN"), RTLD_NOW | RTLD_LOCAL) == NULL) fail(dlerror());
#else
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = getenv("DATABASE");
    options.bundle_id = "org.example.early";
    epitaph_error error;
    if (epitaph_start(&options, &error) != EPITAPH_OK) fail(error.message);
#endif
}
