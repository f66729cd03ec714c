// SPDX-License-Identifier: Apache-2.0
//
// Has an allocator of its own that hands each call to libc's. As a library, or beside a program's
// main, it is that program's.

#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    return __libc_realloc(block, size);
}

void free(void *block) {
    __libc_free(block);
}

__attribute__((weak)) int main(void) {
    void *volatile block = malloc(100);
    free(block);
    return 0;
}
