// SPDX-License-Identifier: Apache-2.0
//
// Errors that no fault shows: a block freed twice, an address freed that is no block's, and bytes
// written beside a block.

#include "heap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    /// Such an error tends to be repeated, and each report takes milliseconds.
    REPORT_LIMIT = 8,
};

static void publish(epitaph_dump_heap_error error, uint64_t address, const uint8_t *found,
                    uint32_t found_count) {
    epitaph_heap_pool *pool = &epitaph_heap_pool_now;
    epitaph_heap_finding *finding = &pool->finding;
    static uint32_t is_taken;
    __atomic_fetch_add(&pool->caught, 1, __ATOMIC_RELAXED);
    if (__atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQ_REL) != 0) return;
    int32_t tid = epitaph_heap_request_now.host.tid();
    finding->tid = tid != 0 ? tid : (int32_t)syscall(SYS_gettid);
    finding->address = address;
    finding->found_bytes = found_count;
    if (found_count > 0) memcpy(finding->found, found, found_count);
    __atomic_store_n(&finding->error, error, __ATOMIC_RELEASE);
    if (error != EPITAPH_HEAP_OVERWRITTEN || epitaph_heap_request_now.overwritten_ends) return;
    epitaph_heap_request_now.host.report("bytes beside a block of memory were written");
    __atomic_store_n(&finding->error, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&is_taken, 0, __ATOMIC_RELEASE);
}

/// One line, as the allocator below writes one.
static void say(const char *line) {
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
}

_Noreturn void epitaph_heap_end(epitaph_dump_heap_error error, uint64_t address) {
    publish(error, address, NULL, 0);
    say(error == EPITAPH_HEAP_DOUBLE_FREE ? "free(): a block was freed twice\n"
                                          : "free(): invalid pointer\n");
    abort();
}

void epitaph_heap_tell_overwritten(uint64_t address, const uint8_t found[EPITAPH_HEAP_FOUND_BYTES],
                                   uint32_t count) {
    static uint32_t told;
    bool ends = epitaph_heap_request_now.overwritten_ends;
    if (!ends && __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED) >= REPORT_LIMIT) {
        __atomic_fetch_add(&epitaph_heap_pool_now.caught, 1, __ATOMIC_RELAXED);
        return;
    }
    publish(EPITAPH_HEAP_OVERWRITTEN, address, found, count);
    if (!ends) return;
    say("free(): bytes beside the block were written\n");
    abort();
}
