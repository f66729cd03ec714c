// SPDX-License-Identifier: Apache-2.0
//
// liblz4, loaded when a core file is read that systemd-coredump stored with it.
// docs/decisions/code.md.
//
// The calls are the library's own, declared by us so that its headers need not be there; each that
// is used is listed here and in the table of its library.
#pragma once

// Names of our own: epitaph_loaded_library.h.
#define LZ4F_createDecompressionContext epitaph_lz4_createDecompressionContext
#define LZ4F_freeDecompressionContext epitaph_lz4_freeDecompressionContext
#define LZ4F_decompress epitaph_lz4_decompress
#define LZ4F_isError epitaph_lz4_isError
#define LZ4F_getErrorName epitaph_lz4_getErrorName
#define LZ4F_dctx epitaph_lz4_dctx
#define LZ4F_decompressOptions_t epitaph_lz4_decompressOptions_t

/// LZ4F_VERSION, the version of the interface that is spoken.
enum { EPITAPH_LZ4_VERSION = 100 };

#include "../declared/epitaph_lz4_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_lz4_problem(void);

#pragma GCC visibility pop
