// SPDX-License-Identifier: Apache-2.0
//
// libdeflate, loaded for compressed debug sections; without it libelf inflates them, which takes
// three times as long. docs/decisions/code.md. libdeflate_alloc_decompressor must be called first:
// it loads the library, and fails if that fails.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define libdeflate_alloc_decompressor epitaph_libdeflate_alloc_decompressor
#define libdeflate_free_decompressor epitaph_libdeflate_free_decompressor
#define libdeflate_zlib_decompress epitaph_libdeflate_zlib_decompress
#define libdeflate_decompressor epitaph_libdeflate_decompressor
#define libdeflate_result epitaph_libdeflate_result

enum libdeflate_result { LIBDEFLATE_SUCCESS = 0 };

#include "../declared/epitaph_deflate_calls.h"

#pragma GCC visibility push(hidden)

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_deflate_problem(void);

#pragma GCC visibility pop
