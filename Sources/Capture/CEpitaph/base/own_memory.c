// SPDX-License-Identifier: Apache-2.0
//
// Memory past malloc(3): the preloaded library starts before main, and a program may have an
// allocator of its own that works only after (GNU Common Lisp's crashes in the first free).

#include "base/base.h"

#include <string.h>
#include <sys/mman.h>

/// In front of each block.
typedef struct block_head {
    _Alignas(16) size_t size;
} block_head;

void *epitaph_own_memory_resize(void *memory, size_t size) {
    size_t whole = sizeof(block_head) + size;
    block_head *head =
        mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (head == MAP_FAILED) return NULL;
    head->size = whole;
    if (memory != NULL) {
        size_t earlier = ((block_head *)memory - 1)->size - sizeof *head;
        memcpy(head + 1, memory, earlier < size ? earlier : size);
        epitaph_own_memory_free(memory);
    }
    return head + 1;
}

void epitaph_own_memory_free(void *memory) {
    if (memory == NULL) return;
    block_head *head = (block_head *)memory - 1;
    munmap(head, head->size);
}

void *epitaph_lasting_room_get(epitaph_lasting_room *room, size_t size) {
    if (room->size < size) {
        void *memory = epitaph_lasting_memory_make(size);
        if (memory == NULL) return NULL;
        room->memory = memory;
        room->size = size;
    }
    return room->memory;
}
