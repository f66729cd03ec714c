// SPDX-License-Identifier: Apache-2.0
//
// Starts Epitaph before main, so that the programs of the corpus need not call it. The database
// is the directory that EPITAPH_DATABASE names. Stacks are captured whole, so that no comparison
// ends where the dump does, unless CORPUS_LIMITS asks for the limits of a program that sets none.

#include <epitaph.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    /// More than a whole stack.
    WHOLE_STACK = 64 << 20,
};

__attribute__((constructor)) static void arm(void) {
    const char *database = getenv("EPITAPH_DATABASE");
    if (database == NULL) return;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = database;
    options.bundle_id = "org.example.corpus";
    if (getenv("CORPUS_LIMITS") == NULL) {
        options.crashing_stack_bytes = WHOLE_STACK;
        options.all_stacks_bytes = 2 * (uint64_t)WHOLE_STACK;
    }
    epitaph_error error;
    if (epitaph_start(&options, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(99);
}
