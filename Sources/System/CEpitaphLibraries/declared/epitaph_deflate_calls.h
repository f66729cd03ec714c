// SPDX-License-Identifier: Apache-2.0
//
// Functions used of libdeflate.so.0. Include after the enum.
#pragma once

#include "../include/epitaph_loaded_library.h"

#include <stddef.h>

struct libdeflate_decompressor;

#define EPITAPH_DEFLATE_CALLS(CALL, OWN)                                                      \
    OWN(struct libdeflate_decompressor *, libdeflate_alloc_decompressor, (void))              \
    CALL(void, libdeflate_free_decompressor, (struct libdeflate_decompressor * decompressor), \
         (decompressor))                                                                      \
    CALL(enum libdeflate_result, libdeflate_zlib_decompress,                                  \
         (struct libdeflate_decompressor * decompressor, const void *in, size_t in_nbytes,    \
          void *out, size_t out_nbytes_avail, size_t *actual_out_nbytes_ret),                 \
         (decompressor, in, in_nbytes, out, out_nbytes_avail, actual_out_nbytes_ret))

EPITAPH_DEFLATE_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
