// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../include/epitaph_loaded_library.h"

#include <stddef.h>

#ifndef ZSTD_H_235446
typedef struct ZSTD_DCtx_s ZSTD_DStream;

typedef struct {
    const void *src;
    size_t size;
    size_t pos;
} ZSTD_inBuffer;

typedef struct {
    void *dst;
    size_t size;
    size_t pos;
} ZSTD_outBuffer;
#endif

#define EPITAPH_ZSTD_CALLS(CALL, OWN)                                             \
    OWN(ZSTD_DStream *, ZSTD_createDStream, (void))                               \
    CALL(size_t, ZSTD_freeDStream, (ZSTD_DStream * stream), (stream))             \
    CALL(size_t, ZSTD_decompressStream,                                           \
         (ZSTD_DStream * stream, ZSTD_outBuffer * output, ZSTD_inBuffer * input), \
         (stream, output, input))                                                 \
    CALL(unsigned, ZSTD_isError, (size_t code), (code))                           \
    CALL(const char *, ZSTD_getErrorName, (size_t code), (code))

EPITAPH_ZSTD_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
