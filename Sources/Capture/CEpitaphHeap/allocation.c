// SPDX-License-Identifier: Apache-2.0
//
// malloc(3) and its relatives. The usual call counts down and goes on to the allocator below; a
// block of the pool is known by its address.
//
// Every function of the family is here: a block of the pool must not reach a function of libc. In a
// static program they have the names that the linker gives to calls (wrapping.h).

#include "heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef EPITAPH_HEAP_IS_SANITIZED

#define EXPORTED __attribute__((visibility("default")))
#ifndef EPITAPH_HEAP_IS_WRAPPED
#define CALLED(name) name
#else
#define CALLED(name) EPITAPH_HEAP_WRAPPED(name)
#endif

/// True once per sampled allocation of this thread. Below 0, and not at 0: the processor's own
/// subtraction says so, without another load and comparison in each call.
static inline bool is_due(void) {
    return EPITAPH_HEAP_UNLIKELY(--epitaph_heap_countdown < 0);
}

static bool is_power_of_two(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

static size_t at_least_usual(size_t alignment) {
    return alignment < EPITAPH_HEAP_USUAL_ALIGNMENT ? EPITAPH_HEAP_USUAL_ALIGNMENT : alignment;
}

EXPORTED void *CALLED(malloc)(size_t size) {
    void *block = is_due() ? epitaph_heap_take(size, EPITAPH_HEAP_USUAL_ALIGNMENT) : NULL;
    return block != NULL ? block : epitaph_heap_next.malloc(size);
}

EXPORTED void CALLED(free)(void *block) {
    if (EPITAPH_HEAP_UNLIKELY(epitaph_heap_has(block))) {
        epitaph_heap_give(block);
    } else {
        epitaph_heap_next.free(block);
    }
}

EXPORTED void *CALLED(calloc)(size_t count, size_t size) {
    size_t bytes;
    bool is_too_much = __builtin_mul_overflow(count, size, &bytes);
    void *block =
        is_due() && !is_too_much ? epitaph_heap_take(bytes, EPITAPH_HEAP_USUAL_ALIGNMENT) : NULL;
    if (block == NULL) return epitaph_heap_next.calloc(count, size);
    // Locked memory keeps its contents, madvise(2).
    return memset(block, 0, bytes);
}

/// Into the pool: only the allocator below knows how large the block is.
static void *epitaph_heap_move_in(void *block, size_t size) {
    void *moved = epitaph_heap_take(size, EPITAPH_HEAP_USUAL_ALIGNMENT);
    if (moved == NULL) return NULL;
    size_t before = epitaph_heap_next.malloc_usable_size(block);
    memcpy(moved, block, before < size ? before : size);
    epitaph_heap_next.free(block);
    return moved;
}

EXPORTED void *CALLED(realloc)(void *block, size_t size) {
    if (block == NULL) return CALLED(malloc)(size);
    if (EPITAPH_HEAP_UNLIKELY(epitaph_heap_has(block))) return epitaph_heap_resize(block, size);
    bool may = is_due() && size != 0 && epitaph_heap_knows_sizes;
    void *moved = may ? epitaph_heap_move_in(block, size) : NULL;
    return moved != NULL ? moved : epitaph_heap_next.realloc(block, size);
}

EXPORTED void *CALLED(reallocarray)(void *block, size_t count, size_t size) {
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes)) return CALLED(realloc)(block, bytes);
    errno = ENOMEM;
    return NULL;
}

EXPORTED void *CALLED(memalign)(size_t alignment, size_t size);
EXPORTED void *CALLED(memalign)(size_t alignment, size_t size) {
    bool may = is_due() && is_power_of_two(alignment);
    void *block = may ? epitaph_heap_take(size, at_least_usual(alignment)) : NULL;
    return block != NULL ? block : epitaph_heap_next.memalign(alignment, size);
}

EXPORTED void *CALLED(aligned_alloc)(size_t alignment, size_t size) {
    bool may = is_due() && is_power_of_two(alignment);
    void *block = may ? epitaph_heap_take(size, at_least_usual(alignment)) : NULL;
    return block != NULL ? block : epitaph_heap_next.aligned_alloc(alignment, size);
}

EXPORTED int CALLED(posix_memalign)(void **block, size_t alignment, size_t size) {
    bool may = is_due() && is_power_of_two(alignment) && alignment % sizeof(void *) == 0;
    void *taken = may ? epitaph_heap_take(size, at_least_usual(alignment)) : NULL;
    if (taken == NULL) return epitaph_heap_next.posix_memalign(block, alignment, size);
    *block = taken;
    return 0;
}

EXPORTED void *CALLED(valloc)(size_t size) {
    void *block = is_due() ? epitaph_heap_take(size, epitaph_heap_pool_now.page_bytes) : NULL;
    return block != NULL ? block : epitaph_heap_next.valloc(size);
}

EXPORTED void *CALLED(pvalloc)(size_t size);
EXPORTED void *CALLED(pvalloc)(size_t size) {
    return epitaph_heap_next.pvalloc(size);
}

EXPORTED size_t CALLED(malloc_usable_size)(void *block);
EXPORTED size_t CALLED(malloc_usable_size)(void *block) {
    return epitaph_heap_has(block) ? epitaph_heap_size(block)
                                   : epitaph_heap_next.malloc_usable_size(block);
}

// Old and new names of free(3): glibc up to 2.25; C23, 7.24.3.4 and 7.24.3.5.

EXPORTED void CALLED(cfree)(void *block);
EXPORTED void CALLED(cfree)(void *block) {
    CALLED(free)(block);
}

EXPORTED void CALLED(free_sized)(void *block, size_t size);
EXPORTED void CALLED(free_sized)(void *block, size_t size) {
    (void)size;
    CALLED(free)(block);
}

EXPORTED void CALLED(free_aligned_sized)(void *block, size_t alignment, size_t size);
EXPORTED void CALLED(free_aligned_sized)(void *block, size_t alignment, size_t size) {
    (void)alignment;
    (void)size;
    CALLED(free)(block);
}

#ifndef EPITAPH_HEAP_IS_WRAPPED

// Our own functions, even if the names are bound elsewhere. gcc wants an alias to have the
// attributes that the C library's header gives the function.
#if __has_attribute(copy)
#define ATTRIBUTES_OF(name) copy(name)
#else
#define ATTRIBUTES_OF(name)
#endif
#define OWN(name)                              \
    extern __typeof__(name) epitaph_own_##name \
        __attribute__((alias(#name), visibility("hidden"), ATTRIBUTES_OF(name)));
OWN(malloc)
OWN(free)
OWN(calloc)
OWN(realloc)
OWN(memalign)
OWN(aligned_alloc)
OWN(posix_memalign)
OWN(malloc_usable_size)
#undef OWN
#undef ATTRIBUTES_OF

#define IS_OURS(name) epitaph_heap_is_reached(#name, (const void *)epitaph_own_##name)

epitaph_heap_refusal epitaph_heap_place(void) {
    bool is_first = IS_OURS(malloc) && IS_OURS(free) && IS_OURS(calloc) && IS_OURS(realloc) &&
                    IS_OURS(memalign) && IS_OURS(aligned_alloc) && IS_OURS(posix_memalign) &&
                    IS_OURS(malloc_usable_size);
    return is_first ? EPITAPH_HEAP_SAMPLES : EPITAPH_HEAP_IS_NOT_FIRST;
}

#endif

#else

epitaph_heap_refusal epitaph_heap_place(void) {
    return EPITAPH_HEAP_IS_NOT_FIRST;
}

#endif
