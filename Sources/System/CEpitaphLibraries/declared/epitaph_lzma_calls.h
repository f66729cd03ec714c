// SPDX-License-Identifier: Apache-2.0
//
// Functions used of liblzma.so.5. Include after the enums.
#pragma once

#include "../include/epitaph_loaded_library.h"

#include <stddef.h>
#include <stdint.h>

#ifndef LZMA_H
typedef struct lzma_allocator lzma_allocator;
typedef struct lzma_internal_s lzma_internal;

typedef struct {
    const uint8_t *next_in;
    size_t avail_in;
    uint64_t total_in;
    uint8_t *next_out;
    size_t avail_out;
    uint64_t total_out;
    const lzma_allocator *allocator;
    lzma_internal *internal;
    void *reserved_pointers[4];
    uint64_t seek_pos;
    uint64_t reserved_int2;
    size_t reserved_sizes[2];
    int reserved_enums[2];
} lzma_stream;
#endif

#define EPITAPH_LZMA_CALLS(CALL, OWN)                                                             \
    OWN(lzma_ret, lzma_stream_buffer_decode,                                                      \
        (uint64_t * memlimit, uint32_t flags, const lzma_allocator *allocator, const uint8_t *in, \
         size_t *in_pos, size_t in_size, uint8_t *out, size_t *out_pos, size_t out_size))         \
    OWN(lzma_ret, lzma_stream_decoder, (lzma_stream * stream, uint64_t memlimit, uint32_t flags)) \
    CALL(lzma_ret, lzma_code, (lzma_stream * stream, lzma_action action), (stream, action))       \
    CALL(void, lzma_end, (lzma_stream * stream), (stream))

EPITAPH_LZMA_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
