// SPDX-License-Identifier: Apache-2.0
//
// deepbound LIBRARY: opens this file, built as a library, with RTLD_DEEPBIND, so that the library
// calls libc's own malloc(3) and free(3), and gives memory to it and takes memory from it.

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 41, ROUNDS = 10000 };

void *library_make(size_t size) {
    return malloc(size);
}

void library_drop(void *block) {
    free(block);
}

/// Only the sampler knows the size that was asked for.
static int is_sampled(void *block) {
    return malloc_usable_size(block) == SIZE;
}

int main(int count, char **arguments) {
    void *earlier = malloc(SIZE);
    void *library = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW | RTLD_DEEPBIND);
    if (library == NULL) return 1;
    void *(*make)(size_t) = dlsym(library, "library_make");
    void (*drop)(void *) = dlsym(library, "library_drop");
    int sampled = 0;
    for (int i = 0; i < ROUNDS; i++) {
        void *made = malloc(SIZE);
        sampled += is_sampled(made);
        drop(made);
        free(make(SIZE));
    }
    printf("before: %d, after: %d\n", is_sampled(earlier), sampled);
    free(earlier);
    return 0;
}
