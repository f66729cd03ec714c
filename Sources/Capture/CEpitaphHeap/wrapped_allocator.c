// SPDX-License-Identifier: Apache-2.0
//
// The allocator below in a fully static program, and whether every call of the program comes here:
// the linker was told of each function, the allocator is libc's, and no library with another libc
// was loaded.

#ifdef EPITAPH_HEAP_IS_WRAPPED

#include "heap.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

enum {
    /// How far into a function its jump to another one is looked for.
    JUMP_BYTES = 32,
};

bool epitaph_heap_knows_sizes;

// libc's own names of its functions: those of the program's own have none.
#ifdef __GLIBC__
extern char __libc_malloc[] __attribute__((weak));
extern char __malloc_usable_size[] __attribute__((weak));
#else
extern char __libc_malloc_impl[] __attribute__((weak));
#endif
extern char __libc_free[] __attribute__((weak));
extern char __libc_realloc[] __attribute__((weak));

/// How many objects the dynamic linker in glibc's libc.a has loaded: dlpi_adds, dl_iterate_phdr(3).
extern unsigned long long _dl_load_adds __attribute__((weak, visibility("default")));

static unsigned long long adds_at_start;

#ifdef __GLIBC__
enum { is_below = false };
#else
/// This thread is in musl's calloc(3), which asks malloc(3) for a block and treats it as musl's.
static _Thread_local bool is_below __attribute__((tls_model("initial-exec")));

void *epitaph_heap_calloc_below(size_t count, size_t size) {
    bool before = is_below;
    is_below = true;
    void *block = EPITAPH_HEAP_REAL(calloc)(count, size);
    is_below = before;
    return block;
}
#endif

void *epitaph_heap_valloc_below(size_t size) {
    return EPITAPH_HEAP_REAL(memalign)((size_t)sysconf(_SC_PAGESIZE), size);
}

void *epitaph_heap_pvalloc_below(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size <= SIZE_MAX - page) {
        return EPITAPH_HEAP_REAL(memalign)(page, (size + page - 1) / page * page);
    }
    errno = ENOMEM;
    return NULL;
}

bool epitaph_heap_has_to_pass(void) {
    if (&_dl_load_adds != NULL && _dl_load_adds != adds_at_start) epitaph_heap_sampler_1.stop();
    return is_below;
}

/// For comparisons: compilers take functions with two names for two functions.
static uintptr_t address_of(const void *function) {
    __asm__("" : "+r"(function));
    return (uintptr_t)function;
}

#define IS_WRAPPED(name) \
    (address_of((const void *)(name)) == address_of((const void *)EPITAPH_HEAP_WRAPPED(name)))

/// Our own references to these names were given to our functions, and so was everybody's. What some
/// libc lacks is not asked for: the flags come together.
static bool is_wrapped(void) {
    return IS_WRAPPED(malloc) && IS_WRAPPED(free) && IS_WRAPPED(calloc) && IS_WRAPPED(realloc) &&
           IS_WRAPPED(reallocarray) && IS_WRAPPED(memalign) && IS_WRAPPED(aligned_alloc) &&
           IS_WRAPPED(posix_memalign) && IS_WRAPPED(valloc) && IS_WRAPPED(malloc_usable_size);
}

#ifndef __GLIBC__
/// The function begins with a jump or a call to that one.
static bool leads_to(const void *function, const void *other) {
    uintptr_t start = address_of(function), target = address_of(other);
#if defined(__x86_64__)
    const uint8_t *code = (const uint8_t *)start;
    for (uintptr_t i = 0; i + 5 <= JUMP_BYTES; i++) {
        // CALL and JMP with a displacement of 32 bits, Intel's manual, volume 2.
        int32_t distance;
        if (code[i] != 0xe8 && code[i] != 0xe9) continue;
        __builtin_memcpy(&distance, code + i + 1, sizeof distance);
        if (start + i + 5 + (uintptr_t)(intptr_t)distance == target) return true;
    }
#elif defined(__aarch64__)
    const uint32_t *code = (const uint32_t *)start;
    for (uintptr_t i = 0; i < JUMP_BYTES / sizeof *code; i++) {
        // B and BL, Arm ARM C6.2: 26 bits of words.
        if ((code[i] & 0x7c000000) != 0x14000000) continue;
        intptr_t words = (intptr_t)((uint64_t)code[i] << 38) >> 38;
        if (start + (i + (uintptr_t)words) * sizeof *code == target) return true;
    }
#endif
    return false;
}
#endif

/// A program's own allocator may be in one object with calls of it, which no linker wraps.
static bool is_of_libc(void) {
    const void *malloc_below = (const void *)EPITAPH_HEAP_REAL(malloc);
    const void *free_below = (const void *)EPITAPH_HEAP_REAL(free);
    const void *realloc_below = (const void *)EPITAPH_HEAP_REAL(realloc);
    if (__libc_free == NULL || __libc_realloc == NULL) return false;
#ifdef __GLIBC__
    // Two names of one function each.
    const void *sizes_below = (const void *)EPITAPH_HEAP_REAL(malloc_usable_size);
    epitaph_heap_knows_sizes = address_of(sizes_below) == address_of(__malloc_usable_size);
    return address_of(malloc_below) == address_of(__libc_malloc) &&
           address_of(free_below) == address_of(__libc_free) &&
           address_of(realloc_below) == address_of(__libc_realloc);
#else
    // musl's functions jump to what has the names (src/malloc of musl).
    epitaph_heap_knows_sizes = true;
    return __libc_malloc_impl != NULL && leads_to(malloc_below, __libc_malloc_impl) &&
           leads_to(free_below, __libc_free) && leads_to(realloc_below, __libc_realloc);
#endif
}

/// Returns 1 for an object that a static program has not at its start.
static int look(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    bool *is_program = context;
    adds_at_start = object->dlpi_adds;
    if (!*is_program) {
        // The vDSO has no allocator; musl does not name it, glibc does.
        return object->dlpi_phdr == NULL || object->dlpi_addr != getauxval(AT_SYSINFO_EHDR);
    }
    *is_program = false;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_INTERP) return 1;
    return 0;
}

epitaph_heap_refusal epitaph_heap_place(void) {
    bool is_program = true;
    if (dl_iterate_phdr(look, &is_program) != 0) return EPITAPH_HEAP_IS_NOT_STATIC;
    if (!is_wrapped()) return EPITAPH_HEAP_IS_NOT_WRAPPED;
    return is_of_libc() ? EPITAPH_HEAP_SAMPLES : EPITAPH_HEAP_IS_NOT_FIRST;
}

// What a sanitizer's runtime has, whichever it is.
extern char __asan_init[] __attribute__((weak));
extern char __tsan_init[] __attribute__((weak));
extern char __msan_init[] __attribute__((weak));
extern char __hwasan_init[] __attribute__((weak));
extern char __lsan_init[] __attribute__((weak));

bool epitaph_heap_has_sanitizer(void) {
    return __asan_init != NULL || __tsan_init != NULL || __msan_init != NULL ||
           __hwasan_init != NULL || __lsan_init != NULL;
}

#endif
