// SPDX-License-Identifier: Apache-2.0
//
// In a fully static program there is one malloc(3), libc's. The linker's --wrap (ld(1)) makes each
// call of it, also those out of libc.a, one of __wrap_malloc, and calls libc's __real_malloc.

#ifndef EPITAPH_HEAP_WRAPPING_H
#define EPITAPH_HEAP_WRAPPING_H

#include "heap.h"

#define EPITAPH_HEAP_WRAPPED(name) __wrap_##name
#define EPITAPH_HEAP_REAL(name) __real_##name

// A linker that binds them in a program with shared libraries must not find them hidden: such a
// program is told at its start that nothing is sampled.
#pragma GCC visibility push(default)

void *EPITAPH_HEAP_WRAPPED(malloc)(size_t size);
void *EPITAPH_HEAP_WRAPPED(calloc)(size_t count, size_t size);
void *EPITAPH_HEAP_WRAPPED(realloc)(void *block, size_t size);
void *EPITAPH_HEAP_WRAPPED(reallocarray)(void *block, size_t count, size_t size);
void EPITAPH_HEAP_WRAPPED(free)(void *block);
void *EPITAPH_HEAP_WRAPPED(memalign)(size_t alignment, size_t size);
void *EPITAPH_HEAP_WRAPPED(aligned_alloc)(size_t alignment, size_t size);
int EPITAPH_HEAP_WRAPPED(posix_memalign)(void **block, size_t alignment, size_t size);
void *EPITAPH_HEAP_WRAPPED(valloc)(size_t size);
void *EPITAPH_HEAP_WRAPPED(pvalloc)(size_t size);
size_t EPITAPH_HEAP_WRAPPED(malloc_usable_size)(void *block);
void EPITAPH_HEAP_WRAPPED(cfree)(void *block);
void EPITAPH_HEAP_WRAPPED(free_sized)(void *block, size_t size);
void EPITAPH_HEAP_WRAPPED(free_aligned_sized)(void *block, size_t alignment, size_t size);

// What every libc has had for long. The other functions are made of these: where libc.a has one in
// an object of its own, a call of ours would put it into each program.
void *EPITAPH_HEAP_REAL(malloc)(size_t size);
void *EPITAPH_HEAP_REAL(calloc)(size_t count, size_t size);
void *EPITAPH_HEAP_REAL(realloc)(void *block, size_t size);
void EPITAPH_HEAP_REAL(free)(void *block);
void *EPITAPH_HEAP_REAL(memalign)(size_t alignment, size_t size);
void *EPITAPH_HEAP_REAL(aligned_alloc)(size_t alignment, size_t size);
int EPITAPH_HEAP_REAL(posix_memalign)(void **block, size_t alignment, size_t size);
size_t EPITAPH_HEAP_REAL(malloc_usable_size)(void *block);

#pragma GCC visibility pop

#ifdef __GLIBC__
#define epitaph_heap_calloc_below EPITAPH_HEAP_REAL(calloc)
#else
void *epitaph_heap_calloc_below(size_t count, size_t size);
#endif
void *epitaph_heap_valloc_below(size_t size);
void *epitaph_heap_pvalloc_below(size_t size);

static const epitaph_heap_next_functions epitaph_heap_next = {
    .malloc = EPITAPH_HEAP_REAL(malloc),
    .calloc = epitaph_heap_calloc_below,
    .realloc = EPITAPH_HEAP_REAL(realloc),
    .free = EPITAPH_HEAP_REAL(free),
    .memalign = EPITAPH_HEAP_REAL(memalign),
    .aligned_alloc = EPITAPH_HEAP_REAL(aligned_alloc),
    .posix_memalign = EPITAPH_HEAP_REAL(posix_memalign),
    .valloc = epitaph_heap_valloc_below,
    .pvalloc = epitaph_heap_pvalloc_below,
    .malloc_usable_size = EPITAPH_HEAP_REAL(malloc_usable_size),
};

#endif
