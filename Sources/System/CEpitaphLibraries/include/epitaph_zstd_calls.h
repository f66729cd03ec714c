// SPDX-License-Identifier: Apache-2.0
//
// The functions and types of libzstd.so.1 that are used.
#pragma once

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

ZSTD_DStream *ZSTD_createDStream(void);
size_t ZSTD_freeDStream(ZSTD_DStream *stream);
size_t ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *output, ZSTD_inBuffer *input);
unsigned ZSTD_isError(size_t code);
const char *ZSTD_getErrorName(size_t code);
