// SPDX-License-Identifier: Apache-2.0
//
// mmap(2) of one page more than requested.

#include "base/base.h"

#include <sys/mman.h>
#include <unistd.h>

void *epitaph_guarded_memory_make(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t rounded = (size + page - 1) / page * page;
    // No guard above: stacks grow down, and a second guard would add a mapping per thread, which a
    // crash has to list and the kernel to remove.
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
