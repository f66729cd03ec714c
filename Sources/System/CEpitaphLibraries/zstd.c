// SPDX-License-Identifier: Apache-2.0
//
// libzstd, opened when it is first needed, for core files that were stored compressed.

#include "epitaph_zstd.h"

#include "epitaph_loaded_library.h"

/// What is called of libzstd.so.1.
#define ZSTD_FUNCTIONS(FUNCTION)    \
    FUNCTION(ZSTD_createDStream)    \
    FUNCTION(ZSTD_freeDStream)      \
    FUNCTION(ZSTD_decompressStream) \
    FUNCTION(ZSTD_isError)          \
    FUNCTION(ZSTD_getErrorName)

EPITAPH_LIBRARY("libzstd.so.1", ZSTD_FUNCTIONS)
EPITAPH_LIBRARY_ONCE(epitaph_zstd_problem, load_library)

ZSTD_DStream *ZSTD_createDStream(void) {
    return epitaph_zstd_problem() == NULL ? library.ZSTD_createDStream() : NULL;
}

size_t ZSTD_freeDStream(ZSTD_DStream *stream) {
    return library.ZSTD_freeDStream(stream);
}

size_t ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *output, ZSTD_inBuffer *input) {
    return library.ZSTD_decompressStream(stream, output, input);
}

unsigned ZSTD_isError(size_t code) {
    return library.ZSTD_isError(code);
}

const char *ZSTD_getErrorName(size_t code) {
    return library.ZSTD_getErrorName(code);
}
