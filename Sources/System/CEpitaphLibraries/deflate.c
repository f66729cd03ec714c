// SPDX-License-Identifier: Apache-2.0
//
// libdeflate, opened when it is first needed, for debug sections that are packed with it.

#include "epitaph_deflate.h"

#include "epitaph_loaded_library.h"

/// The functions of libdeflate.so.0 that are called.
#define DEFLATE_FUNCTIONS(FUNCTION)         \
    FUNCTION(libdeflate_alloc_decompressor) \
    FUNCTION(libdeflate_free_decompressor)  \
    FUNCTION(libdeflate_zlib_decompress)

EPITAPH_LIBRARY("libdeflate.so.0", DEFLATE_FUNCTIONS)
EPITAPH_LIBRARY_ONCE(epitaph_deflate_problem, load_library)

struct libdeflate_decompressor *libdeflate_alloc_decompressor(void) {
    if (epitaph_deflate_problem() != NULL) return NULL;
    return library.libdeflate_alloc_decompressor();
}

void libdeflate_free_decompressor(struct libdeflate_decompressor *decompressor) {
    library.libdeflate_free_decompressor(decompressor);
}

enum libdeflate_result libdeflate_zlib_decompress(struct libdeflate_decompressor *decompressor,
                                                  const void *in, size_t in_nbytes, void *out,
                                                  size_t out_nbytes_avail,
                                                  size_t *actual_out_nbytes_ret) {
    return library.libdeflate_zlib_decompress(decompressor, in, in_nbytes, out, out_nbytes_avail,
                                              actual_out_nbytes_ret);
}
