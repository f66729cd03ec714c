// SPDX-License-Identifier: Apache-2.0
//
// liblzma, loaded when symbols are to be read that a distribution left compressed in a stripped
// program: without it the functions have no names. libdw inflates them as well, but all of them,
// however much that is. docs/decisions/libraries-when-needed.md.
//
// The calls are the library's own, declared by us so that its headers need not be there; each that
// is used is listed here and in the table of its library.
#pragma once

#pragma redefine_extname lzma_stream_buffer_decode epitaph_lzma_stream_buffer_decode

typedef enum { LZMA_OK = 0, LZMA_PROG_ERROR = 11 } lzma_ret;

#include "lzma_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_lzma_problem(void);

#pragma GCC visibility pop
