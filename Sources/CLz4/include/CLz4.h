// SPDX-License-Identifier: Apache-2.0
//
// liblz4, loaded when a core file is read that systemd-coredump stored with it.
// docs/decisions/libraries-when-needed.md.
//
// The calls are the library's own, declared by us so that its headers need not be there; each that
// is used is listed here and in the table of its library.
#pragma once

#pragma redefine_extname LZ4F_createDecompressionContext epitaph_lz4_createDecompressionContext
#pragma redefine_extname LZ4F_freeDecompressionContext epitaph_lz4_freeDecompressionContext
#pragma redefine_extname LZ4F_decompress epitaph_lz4_decompress
#pragma redefine_extname LZ4F_isError epitaph_lz4_isError
#pragma redefine_extname LZ4F_getErrorName epitaph_lz4_getErrorName

/// LZ4F_VERSION, the version of the interface that is spoken.
enum { EPITAPH_LZ4_VERSION = 100 };

#include "lz4_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_lz4_problem(void);

#pragma GCC visibility pop
