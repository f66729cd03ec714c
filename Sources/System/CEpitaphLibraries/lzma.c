// SPDX-License-Identifier: Apache-2.0

#include "epitaph_lzma.h"

EPITAPH_LIBRARY("liblzma.so.5", EPITAPH_LZMA_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_lzma_problem, load_library)

lzma_ret lzma_stream_buffer_decode(uint64_t *memlimit, uint32_t flags,
                                   const lzma_allocator *allocator, const uint8_t *in,
                                   size_t *in_pos, size_t in_size, uint8_t *out, size_t *out_pos,
                                   size_t out_size) {
    if (epitaph_lzma_problem() != NULL) return LZMA_PROG_ERROR;
    return library.lzma_stream_buffer_decode(memlimit, flags, allocator, in, in_pos, in_size, out,
                                             out_pos, out_size);
}

lzma_ret lzma_stream_decoder(lzma_stream *stream, uint64_t memlimit, uint32_t flags) {
    if (epitaph_lzma_problem() != NULL) return LZMA_PROG_ERROR;
    return library.lzma_stream_decoder(stream, memlimit, flags);
}
