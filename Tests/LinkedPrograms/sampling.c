// SPDX-License-Identifier: Apache-2.0
//
// sampling DATABASE: starts with every allocation sampled, and says whether some were.

#include <epitaph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    epitaph_heap_counts counts;
    epitaph_error error;
    options.database_path = count > 1 ? arguments[1] : "";
    options.bundle_id = "sampling";
    options.heap_sampling = 1;
    if (epitaph_start(&options, &error) != EPITAPH_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    // Allocated in libc.
    char *volatile copy = strdup("a text");
    free(copy);
    if (epitaph_heap_check(&counts, &error) != EPITAPH_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    puts(counts.sampled > 0 ? "sampled" : "not sampled");
    return 0;
}
