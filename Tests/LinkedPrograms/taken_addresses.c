// SPDX-License-Identifier: Apache-2.0
//
// taken_addresses HOW: linked at a fixed address, it calls the allocator's functions by their
// addresses, which are those of its own entries. Says how many, and whether all was right.

#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char __executable_start, _end;

static int entries;

/// An address in code: in data it may be one that the dynamic linker fills in.
#define TAKE(name)                                             \
    __typeof__(name) *volatile by_address_##name = name;       \
    entries += is_own(#name, (const char *)by_address_##name); \
    __typeof__(name) *taken_##name = by_address_##name

static int is_own(const char *name, const char *address) {
    return address >= &__executable_start && address < &_end &&
           dlsym(RTLD_DEFAULT, name) == address;
}

static void expect(int holds) {
    if (!holds) {
        puts("wrong");
        exit(1);
    }
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    TAKE(malloc);
    TAKE(free);
    TAKE(calloc);
    TAKE(realloc);
    TAKE(memalign);
    TAKE(aligned_alloc);
    TAKE(posix_memalign);
    TAKE(malloc_usable_size);
    for (size_t size = 1; size < 5000; size = size * 2 + 1) {
        void *aligned = NULL;
        char *grown = taken_realloc(malloc(size), 2 * size);
        char *zero = calloc(size, 1);
        expect(grown != NULL && zero != NULL && zero[size - 1] == 0);
        expect(taken_malloc_usable_size(grown) >= 2 * size && malloc_usable_size(zero) >= size);
        expect(taken_posix_memalign(&aligned, 64, size) == 0 && (uintptr_t)aligned % 64 == 0);
        free(aligned);
        free(taken_memalign(64, size));
        taken_free(taken_aligned_alloc(64, 64 * size));
        taken_free(realloc(zero, 3 * size));
        taken_free(taken_calloc(size, 3));
        free(grown);
    }
    char *volatile block = taken_malloc(40);
    if (strcmp(how, "beside") == 0) block[41] = 7;
    taken_free(block);
    if (strcmp(how, "freed") == 0) block[16] = 1;
    printf("%d entries, all right\n", entries);
    return 0;
}
