// SPDX-License-Identifier: Apache-2.0
//
// A shared library that allocates, frees and uses for errors.c.

#include "library.h"

#include <stdlib.h>

char *library_open(size_t size) {
    return calloc(1, size);
}

void library_close(char *block) {
    free(block);
}

void library_use(char *block) {
    ((volatile char *)block)[20] = 3;
}
