// SPDX-License-Identifier: Apache-2.0
//
// Has an allocator that counts its calls before main, as GNU Common Lisp has one that works only
// after. Prints their number, and crashes if told to.

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ARENA_BYTES = 1 << 20 };

static _Alignas(16) char arena[ARENA_BYTES];
static size_t used;
static unsigned calls;

static void *take(size_t size) {
    size_t *block = (size_t *)(void *)(arena + used);
    used += (size + 31) / 16 * 16;
    if (used > ARENA_BYTES) return NULL;
    *block = size;
    return block + 2;
}

void *malloc(size_t size) {
    calls++;
    return take(size);
}

void *calloc(size_t count, size_t size) {
    calls++;
    return take(count * size);
}

void *realloc(void *earlier, size_t size) {
    calls++;
    void *block = take(size);
    size_t known = earlier == NULL ? 0 : ((size_t *)earlier)[-2];
    if (block != NULL && earlier != NULL) memcpy(block, earlier, known < size ? known : size);
    return block;
}

void free(void *block) {
    if (block != NULL) calls++;
}

int main(int count, char **arguments) {
    printf("%u\n", calls);
    fflush(stdout);
    if (count > 1 && strcmp(arguments[1], "crash") == 0) raise(SIGSEGV);
    return 0;
}
