// SPDX-License-Identifier: Apache-2.0
//
// The program's malloc is the sampler's, in place of the crash reporter that usually asks for it.

#include <epitaph_heap.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t stack_end(uint64_t stack_pointer) {
    (void)stack_pointer;
    return 0;
}

static int32_t tid(void) {
    return 0;
}

static uint32_t scope(uint8_t *records, uint32_t size) {
    (void)records, (void)size;
    return 0;
}

static bool may_call(void) {
    return true;
}

static void report(const char *what) {
    fprintf(stderr, "%s\n", what);
}

int main(void) {
    const epitaph_heap_request request = {
        .version = EPITAPH_HEAP_VERSION,
        .block_limit = 16,
        .rate = 1,
        .host = {stack_end, tid, scope, may_call, report},
    };
    epitaph_heap_refusal refusal = epitaph_heap_sampler_1.start(&request);
    const epitaph_heap_pool *pool = epitaph_heap_sampler_1.pool;
    void *volatile block = malloc(24);
    bool is_sampled = (uint64_t)block - pool->start < pool->bytes;
    free(block);
    epitaph_heap_sampler_1.stop();
    printf("%s EpitaphHeap, refusal %d\n", is_sampled ? "used" : "not sampled:", refusal);
    return 0;
}
