// SPDX-License-Identifier: Apache-2.0
//
// libdeflate, loaded when a compressed debug section is read: without it libelf inflates them
// itself, which takes three times as long. docs/decisions/libraries-when-needed.md.
//
// The calls are the library's own, declared here so that its headers need not be installed; each
// one that is used is listed here and in the library's table. libdeflate_alloc_decompressor is the
// first to be called: it loads the library, and fails if that fails.
#pragma once

#pragma redefine_extname libdeflate_alloc_decompressor epitaph_libdeflate_alloc_decompressor
#pragma redefine_extname libdeflate_free_decompressor epitaph_libdeflate_free_decompressor
#pragma redefine_extname libdeflate_zlib_decompress epitaph_libdeflate_zlib_decompress

enum libdeflate_result { LIBDEFLATE_SUCCESS = 0 };

#include "deflate_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as text that stays valid.
const char *epitaph_deflate_problem(void);

#pragma GCC visibility pop
