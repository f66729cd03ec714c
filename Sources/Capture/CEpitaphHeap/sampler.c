// SPDX-License-Identifier: Apache-2.0
//
// Begins and ends sampling.

#include "heap.h"

static epitaph_heap_refusal start(const epitaph_heap_request *request) {
    epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    if (request->version != EPITAPH_HEAP_VERSION) return EPITAPH_HEAP_OTHER_VERSION;
    if (epitaph_heap_has_sanitizer()) return EPITAPH_HEAP_SANITIZER;
    epitaph_heap_refusal refusal = epitaph_heap_place();
    if (refusal != EPITAPH_HEAP_SAMPLES) return refusal;
    if (!epitaph_heap_pool_make(request->block_limit)) return EPITAPH_HEAP_NO_MEMORY;
    epitaph_heap_request_now = *request;
    epitaph_heap_countdown_prepare(request->rate);
    __atomic_store_n(&pool->rate, request->rate, __ATOMIC_RELEASE);
    epitaph_heap_countdown = epitaph_heap_countdown_draw(request->rate);
    return EPITAPH_HEAP_SAMPLES;
}

static void stop(void) {
    __atomic_store_n(&epitaph_heap_pool_now.rate, 0, __ATOMIC_RELEASE);
}

const epitaph_heap_sampler epitaph_heap_sampler_1 = {
    .version = EPITAPH_HEAP_VERSION,
    .pool = &epitaph_heap_pool_now,
    .start = start,
    .stop = stop,
};
