// SPDX-License-Identifier: Apache-2.0
//
// liblzma, loaded for core files, and for the compressed symbols of stripped programs, which libdw
// would inflate without a size limit. docs/decisions/code.md.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define lzma_stream_buffer_decode epitaph_lzma_stream_buffer_decode
#define lzma_stream_decoder epitaph_lzma_stream_decoder
#define lzma_code epitaph_lzma_code
#define lzma_end epitaph_lzma_end
#define lzma_action epitaph_lzma_action
#define lzma_allocator epitaph_lzma_allocator
#define lzma_internal epitaph_lzma_internal
#define lzma_ret epitaph_lzma_ret
#define lzma_stream epitaph_lzma_stream

typedef enum {
    LZMA_OK = 0,
    LZMA_STREAM_END = 1,
    LZMA_MEMLIMIT_ERROR = 6,
    LZMA_PROG_ERROR = 11
} lzma_ret;

typedef enum { LZMA_RUN = 0, LZMA_FINISH = 3 } lzma_action;

#include "../declared/epitaph_lzma_calls.h"

#pragma GCC visibility push(hidden)

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_lzma_problem(void);

#pragma GCC visibility pop
