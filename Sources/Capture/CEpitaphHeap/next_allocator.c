// SPDX-License-Identifier: Apache-2.0
//
// Finds the allocator below. The first allocation of a process may come from the dynamic linker,
// before any constructor, so that each function is found by its first call.

#ifndef EPITAPH_HEAP_IS_WRAPPED

#include "heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    /// What dlsym(3) itself may ask for, while the functions are being found; never freed.
    EARLY_BYTES = 4096,
    EARLY_ALIGNMENT = 16,
};

static _Alignas(EARLY_ALIGNMENT) char early[EARLY_BYTES];
static size_t early_used;
static bool is_finding;
static void (*free_below)(void *block);

bool epitaph_heap_knows_sizes;

static void find_all(void);

static void *take_early(size_t size) {
    size_t rounded = (size + EARLY_ALIGNMENT - 1) / EARLY_ALIGNMENT * EARLY_ALIGNMENT;
    if (size > EARLY_BYTES || rounded > EARLY_BYTES - early_used) return NULL;
    void *block = early + early_used;
    early_used += rounded;
    return block;
}

static void *first_malloc(size_t size) {
    if (is_finding) return take_early(size);
    find_all();
    return epitaph_heap_next.malloc(size);
}

static void *first_calloc(size_t count, size_t size) {
    if (is_finding)
        return size != 0 && count > EARLY_BYTES / size ? NULL : take_early(count * size);
    find_all();
    return epitaph_heap_next.calloc(count, size);
}

static void *first_realloc(void *block, size_t size) {
    if (is_finding) return block == NULL ? take_early(size) : NULL;
    find_all();
    return epitaph_heap_next.realloc(block, size);
}

static bool is_early(const void *block) {
    return (const char *)block >= early && (const char *)block < early + EARLY_BYTES;
}

static void first_free(void *block) {
    if (block == NULL || is_early(block)) return;
    if (!is_finding) find_all();
    if (epitaph_heap_next.free != first_free) epitaph_heap_next.free(block);
}

/// For a process in which dlsym(3) asked for memory.
static void free_but_early(void *block) {
    if (!is_early(block)) free_below(block);
}

static void *first_memalign(size_t alignment, size_t size) {
    find_all();
    return epitaph_heap_next.memalign(alignment, size);
}

static void *first_aligned_alloc(size_t alignment, size_t size) {
    find_all();
    return epitaph_heap_next.aligned_alloc(alignment, size);
}

static int first_posix_memalign(void **block, size_t alignment, size_t size) {
    find_all();
    return epitaph_heap_next.posix_memalign(block, alignment, size);
}

static void *first_valloc(size_t size) {
    find_all();
    return epitaph_heap_next.valloc(size);
}

static void *first_pvalloc(size_t size) {
    find_all();
    return epitaph_heap_next.pvalloc(size);
}

static size_t first_usable_size(void *block) {
    find_all();
    return epitaph_heap_next.malloc_usable_size(block);
}

static void *first_dlopen(const char *file, int mode) {
    find_all();
    return epitaph_heap_next.dlopen(file, mode);
}

epitaph_heap_next_functions epitaph_heap_next = {
    .malloc = first_malloc,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .free = first_free,
    .memalign = first_memalign,
    .aligned_alloc = first_aligned_alloc,
    .posix_memalign = first_posix_memalign,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
    .malloc_usable_size = first_usable_size,
    .dlopen = first_dlopen,
};

// libc has none of these: a program that calls them was linked with one that has.
static void *no_memalign(size_t alignment, size_t size) {
    (void)alignment;
    (void)size;
    errno = ENOMEM;
    return NULL;
}

static void *no_valloc(size_t size) {
    (void)size;
    errno = ENOMEM;
    return NULL;
}

static void *find(const char *name, void *otherwise) {
    void *function = dlsym(RTLD_NEXT, name);
    return function != NULL ? function : otherwise;
}

static bool are_of_one_file(const void *function, const void *other) {
    Dl_info info, other_info;
    return dladdr(function, &info) != 0 && dladdr(other, &other_info) != 0 &&
           info.dli_fbase == other_info.dli_fbase;
}

/// Our functions are the only ones there: nothing can be handed on.
static _Noreturn void end_static_program(void) {
    static const char why[] =
        "libepitaph-heap: a static program has no other malloc: link libepitaph-heap-static\n";
    ssize_t written = write(STDERR_FILENO, why, sizeof why - 1);
    (void)written;
    abort();
}

// The functions that dlsym(3) itself may call come first: it asks for memory when it finds none.
static void find_all(void) {
    epitaph_heap_next_functions *next = &epitaph_heap_next;
    if (is_finding) return;
    is_finding = true;
    void *(*next_malloc)(size_t) = dlsym(RTLD_NEXT, "malloc");
    void *(*next_calloc)(size_t, size_t) = dlsym(RTLD_NEXT, "calloc");
    void *(*next_realloc)(void *, size_t) = dlsym(RTLD_NEXT, "realloc");
    free_below = dlsym(RTLD_NEXT, "free");
    if (next_malloc == NULL || next_calloc == NULL || next_realloc == NULL || free_below == NULL) {
        end_static_program();
    }
    next->malloc = next_malloc;
    next->calloc = next_calloc;
    next->realloc = next_realloc;
    next->free = early_used == 0 ? free_below : free_but_early;
    is_finding = false;
    next->memalign = find("memalign", no_memalign);
    next->aligned_alloc = find("aligned_alloc", no_memalign);
    next->posix_memalign = find("posix_memalign", next->posix_memalign);
    next->valloc = find("valloc", no_valloc);
    next->pvalloc = find("pvalloc", no_valloc);
    next->malloc_usable_size = find("malloc_usable_size", next->malloc_usable_size);
    next->dlopen = find("dlopen", next->dlopen);
    epitaph_heap_knows_sizes =
        are_of_one_file((const void *)next_malloc, (const void *)next->malloc_usable_size);
}

#ifndef EPITAPH_HEAP_IS_SANITIZED
__attribute__((constructor)) static void find_early(void) {
    if (epitaph_heap_next.malloc == first_malloc) find_all();
}
#endif

bool epitaph_heap_has_sanitizer(void) {
#ifdef EPITAPH_HEAP_IS_SANITIZED
    return true;
#else
    static const char *const names[] = {"__asan_init", "__tsan_init", "__msan_init",
                                        "__hwasan_init", "__lsan_init"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dlsym(RTLD_DEFAULT, names[i]) != NULL) return true;
    return false;
#endif
}

#endif
