// SPDX-License-Identifier: Apache-2.0
//
// The reservation of addresses, and the sampler's records.

#include "heap.h"

#include <sys/mman.h>
#include <unistd.h>

epitaph_heap_pool epitaph_heap_pool_now = {.version = EPITAPH_HEAP_VERSION};
epitaph_heap_request epitaph_heap_request_now;

static void *reserve(size_t bytes, int rights) {
    void *memory = mmap(NULL, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t round_up(size_t bytes, size_t to) {
    return (bytes + to - 1) / to * to;
}

bool epitaph_heap_pool_make(uint32_t block_limit) {
    epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    if (pool->bytes != 0) return true;
    uint32_t large_count = block_limit * EPITAPH_HEAP_LARGE_PER_BLOCK;
    pool->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    pool->large_bytes = round_up(EPITAPH_HEAP_LARGE_BYTES, pool->page_bytes);
    pool->block_limit = block_limit;
    pool->slot_count = block_limit * EPITAPH_HEAP_SLOTS_PER_BLOCK;
    pool->small_count = pool->slot_count - large_count;
    size_t bytes = pool->page_bytes + pool->small_count * epitaph_heap_stride(pool, false) +
                   large_count * epitaph_heap_stride(pool, true);
    // Moments begin at a page, so that those of unused slots cost none.
    size_t order_bytes = pool->slot_count * sizeof(uint32_t);
    size_t head_bytes =
        round_up(pool->slot_count * sizeof *pool->slots + order_bytes, pool->page_bytes);
    size_t records_bytes = head_bytes + 2 * pool->slot_count * sizeof *pool->moments;
    char *records = reserve(records_bytes, PROT_READ | PROT_WRITE);
    if (records == NULL) return false;
    void *start = reserve(bytes, PROT_NONE);
    if (start == NULL) {
        munmap(records, records_bytes);
        return false;
    }
    pool->slots = (epitaph_heap_slot *)(void *)records;
    pool->moments = (epitaph_heap_moment *)(void *)(records + head_bytes);
    epitaph_heap_free_slots_begin((uint32_t *)(void *)(pool->slots + pool->slot_count));
    __atomic_store_n(&pool->start, (uint64_t)start, __ATOMIC_RELEASE);
    __atomic_store_n(&pool->bytes, bytes, __ATOMIC_RELEASE);
    return true;
}
