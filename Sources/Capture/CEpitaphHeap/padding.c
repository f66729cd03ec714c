// SPDX-License-Identifier: Apache-2.0
//
// Bytes beside a block, in pages that the block makes accessible. A program that writes there
// causes no fault, but is found when it frees the block.

#include "heap.h"

enum {
    /// Neither a letter nor a usual value; as eight bytes no address.
    FILLING = 0xe5,
};

typedef struct range {
    uint64_t start;
    uint64_t end;
} range;

static range before(epitaph_heap_extent extent) {
    range result = {extent.start, extent.block};
    if (result.end - result.start > EPITAPH_HEAP_PADDING) {
        result.start = result.end - EPITAPH_HEAP_PADDING;
    }
    return result;
}

static range behind(epitaph_heap_extent extent) {
    range result = {extent.block_end, extent.end};
    if (result.end - result.start > EPITAPH_HEAP_PADDING) {
        result.end = result.start + EPITAPH_HEAP_PADDING;
    }
    return result;
}

static void fill(range range) {
    for (uint64_t address = range.start; address < range.end; address++)
        *(volatile uint8_t *)address = FILLING;
}

static uint64_t check(range range) {
    for (uint64_t address = range.start; address < range.end; address++)
        if (*(volatile const uint8_t *)address != FILLING) return address;
    return 0;
}

void epitaph_heap_padding_fill(epitaph_heap_extent extent) {
    fill(before(extent));
    fill(behind(extent));
}

uint64_t epitaph_heap_padding_check(epitaph_heap_extent extent) {
    uint64_t found = check(behind(extent));
    return found != 0 ? found : check(before(extent));
}
