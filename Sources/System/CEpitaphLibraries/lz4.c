// SPDX-License-Identifier: Apache-2.0
//
// liblz4, opened when it is first needed, for core files that were stored compressed.

#include "epitaph_lz4.h"

#include "epitaph_loaded_library.h"

/// What is called of liblz4.so.1.
#define LZ4_FUNCTIONS(FUNCTION)               \
    FUNCTION(LZ4F_createDecompressionContext) \
    FUNCTION(LZ4F_freeDecompressionContext)   \
    FUNCTION(LZ4F_decompress)                 \
    FUNCTION(LZ4F_isError)                    \
    FUNCTION(LZ4F_getErrorName)

EPITAPH_LIBRARY("liblz4.so.1", LZ4_FUNCTIONS)
EPITAPH_LIBRARY_ONCE(epitaph_lz4_problem, load_library)

size_t LZ4F_createDecompressionContext(LZ4F_dctx **context, unsigned version) {
    *context = NULL;
    return epitaph_lz4_problem() == NULL ? library.LZ4F_createDecompressionContext(context, version)
                                         : 0;
}

size_t LZ4F_freeDecompressionContext(LZ4F_dctx *context) {
    return library.LZ4F_freeDecompressionContext(context);
}

size_t LZ4F_decompress(LZ4F_dctx *context, void *output, size_t *output_size, const void *input,
                       size_t *input_size, const LZ4F_decompressOptions_t *options) {
    return library.LZ4F_decompress(context, output, output_size, input, input_size, options);
}

unsigned LZ4F_isError(size_t code) {
    return library.LZ4F_isError(code);
}

const char *LZ4F_getErrorName(size_t code) {
    return library.LZ4F_getErrorName(code);
}
