// SPDX-License-Identifier: Apache-2.0
//
// The functions of libdeflate.so.0 that are called. To be included behind the enum.
#pragma once

#include <stddef.h>

struct libdeflate_decompressor;

struct libdeflate_decompressor *libdeflate_alloc_decompressor(void);
void libdeflate_free_decompressor(struct libdeflate_decompressor *decompressor);
enum libdeflate_result libdeflate_zlib_decompress(struct libdeflate_decompressor *decompressor,
                                                  const void *in, size_t in_nbytes, void *out,
                                                  size_t out_nbytes_avail,
                                                  size_t *actual_out_nbytes_ret);
