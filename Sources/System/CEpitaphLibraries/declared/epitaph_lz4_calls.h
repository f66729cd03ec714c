// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../include/epitaph_loaded_library.h"

#include <stddef.h>

#ifndef LZ4F_H_09782039843
typedef struct LZ4F_dctx_s LZ4F_dctx;
typedef void LZ4F_decompressOptions_t;
#endif

#define EPITAPH_LZ4_CALLS(CALL, OWN)                                                       \
    OWN(size_t, LZ4F_createDecompressionContext, (LZ4F_dctx * *context, unsigned version)) \
    CALL(size_t, LZ4F_freeDecompressionContext, (LZ4F_dctx * context), (context))          \
    CALL(size_t, LZ4F_decompress,                                                          \
         (LZ4F_dctx * context, void *output, size_t *output_size, const void *input,       \
          size_t *input_size, const LZ4F_decompressOptions_t *options),                    \
         (context, output, output_size, input, input_size, options))                       \
    CALL(unsigned, LZ4F_isError, (size_t code), (code))                                    \
    CALL(const char *, LZ4F_getErrorName, (size_t code), (code))

EPITAPH_LZ4_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
