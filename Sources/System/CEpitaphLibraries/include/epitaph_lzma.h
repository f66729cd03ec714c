// SPDX-License-Identifier: Apache-2.0
//
// liblzma, loaded when symbols are to be read that a distribution left compressed in a stripped
// program: without it the functions have no names. libdw inflates them as well, but all of them,
// however much that is. And when a core file is read that was stored with it.
// docs/decisions/code.md.
//
// The calls are the library's own, declared by us so that its headers need not be there; each that
// is used is listed here and in the table of its library.
#pragma once

// Names of our own: epitaph_loaded_library.h.
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

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_lzma_problem(void);

#pragma GCC visibility pop
