// SPDX-License-Identifier: Apache-2.0
//
// liblz4, loaded for core files that systemd-coredump compressed with it. docs/decisions/code.md.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define LZ4F_createDecompressionContext epitaph_lz4_createDecompressionContext
#define LZ4F_freeDecompressionContext epitaph_lz4_freeDecompressionContext
#define LZ4F_decompress epitaph_lz4_decompress
#define LZ4F_isError epitaph_lz4_isError
#define LZ4F_getErrorName epitaph_lz4_getErrorName
#define LZ4F_dctx epitaph_lz4_dctx
#define LZ4F_decompressOptions_t epitaph_lz4_decompressOptions_t

/// LZ4F_VERSION, the interface version.
enum { EPITAPH_LZ4_VERSION = 100 };

#include "../declared/epitaph_lz4_calls.h"

#pragma GCC visibility push(hidden)

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_lz4_problem(void);

#pragma GCC visibility pop
