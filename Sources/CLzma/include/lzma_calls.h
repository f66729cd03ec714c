// SPDX-License-Identifier: Apache-2.0
//
// The function of liblzma.so.5 that is called. To be included behind the enum.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifndef LZMA_H
typedef struct lzma_allocator lzma_allocator;
#endif

lzma_ret lzma_stream_buffer_decode(uint64_t *memlimit, uint32_t flags,
                                   const lzma_allocator *allocator, const uint8_t *in,
                                   size_t *in_pos, size_t in_size, uint8_t *out, size_t *out_pos,
                                   size_t out_size);
