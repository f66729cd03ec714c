// SPDX-License-Identifier: Apache-2.0
//
// mmap(2) of one page more than requested, and of memory that shares its mapping.

#include "base/base.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    /// Room for annotations, breadcrumbs and some more; untouched pages take no memory.
    LASTING_BYTES = 8 << 20,
    SHARED_BYTES = EPITAPH_EMERGENCY_STACK_BYTES + LASTING_BYTES,
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

void *epitaph_lasting_memory_make(size_t size) {
    static size_t used = EPITAPH_EMERGENCY_STACK_BYTES;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t rounded = (size + page - 1) / page * page;
    char *shared = shared_mapping();
    size_t start = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
    while (shared != NULL && rounded <= SHARED_BYTES - start) {
        if (__atomic_compare_exchange_n(&used, &start, start + rounded, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return shared + start;
        }
    }
    return epitaph_guarded_memory_make(size);
}
