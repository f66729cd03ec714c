// SPDX-License-Identifier: Apache-2.0
//
// mmap(2) of one page more than requested, and of memory that shares its mapping.

#include "base/base.h"
#include "epitaph_placement.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    /// Untouched pages take no memory.
    USUAL_BYTES = 160 << 10,
    LASTING_BYTES = 8 << 20,
    SHARED_BYTES = EPITAPH_EMERGENCY_STACK_BYTES + LASTING_BYTES,
    /// Of a cache line: what threads write to at once lies apart.
    ALIGNMENT = 64,
};

void *epitaph_guarded_memory_make(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t rounded = (size + page - 1) / page * page;
    // No guard above: stacks grow down, and a second guard would add a mapping per thread.
    char *start =
        mmap(NULL, page + rounded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return NULL;
    if (mprotect(start + page, rounded, PROT_READ | PROT_WRITE) != 0) {
        munmap(start, page + rounded);
        return NULL;
    }
    return start + page;
}

void epitaph_guarded_memory_free(void *memory, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t rounded = (size + page - 1) / page * page;
    munmap((char *)memory - page, page + rounded);
}

void *epitaph_unforked_memory_make(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    // The kernel joins it with no mapping that lacks the advice, so that it needs no guard.
    if (madvise(memory, size, EPITAPH_WIPE_ON_FORK) == 0) return memory;
    munmap(memory, size);
    return epitaph_guarded_memory_make(size);
}

void epitaph_unforked_memory_free(void *memory, size_t size) {
    // Without the advice a page of the guard stays, which is no memory.
    munmap(memory, size);
}

/// The emergency stack is lowest, above the guard.
static char *shared_mapping(void) {
    static char *shared;
    char *present = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    if (present != NULL) return present;
    char *made = epitaph_guarded_memory_make(SHARED_BYTES);
    if (made == NULL) return NULL;
    if (__atomic_compare_exchange_n(&shared, &present, made, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        return made;
    }
    epitaph_guarded_memory_free(made, SHARED_BYTES);
    return present;
}

void *epitaph_emergency_stack_get(void) {
    return shared_mapping();
}

/// NULL if there is no room left.
static void *take(char *from, size_t limit, size_t *used, size_t size) {
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t start = __atomic_load_n(used, __ATOMIC_ACQUIRE);
    while (from != NULL && rounded <= limit - start) {
        if (__atomic_compare_exchange_n(used, &start, start + rounded, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return from + start;
        }
    }
    return NULL;
}

/// What most programs need, also after a start that failed. A mapping that was written to costs
/// each fork(3) 4 microseconds more, and these pages lie beside others that are.
static EPITAPH_SPARSE _Alignas(ALIGNMENT) char usual_memory[USUAL_BYTES];

void *epitaph_lasting_memory_make(size_t size) {
    static size_t used;
    static size_t shared_used = EPITAPH_EMERGENCY_STACK_BYTES;
    void *memory = take(usual_memory, USUAL_BYTES, &used, size);
    if (memory == NULL) memory = take(shared_mapping(), SHARED_BYTES, &shared_used, size);
    return memory != NULL ? memory : epitaph_guarded_memory_make(size);
}
