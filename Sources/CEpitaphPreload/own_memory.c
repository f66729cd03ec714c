// SPDX-License-Identifier: Apache-2.0
//
// mmap(2) and munmap(2): what was written there is gone with the pages.

#include "own_memory.h"

#include <sys/mman.h>

void *epitaph_preload_memory_make(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void epitaph_preload_memory_free(void *memory, size_t bytes) {
    munmap(memory, bytes);
}
