// SPDX-License-Identifier: Apache-2.0
//
// libdeflate, loaded when a compressed debug section is read: without it libelf inflates them
// itself, which takes three times as long. docs/decisions/code.md.
//
// The calls are the library's own, declared here so that its headers need not be installed; each
// one that is used is listed here and in the library's table. libdeflate_alloc_decompressor is the
// first to be called: it loads the library, and fails if that fails.
#pragma once

// Names of our own: epitaph_loaded_library.h.
#define libdeflate_alloc_decompressor epitaph_libdeflate_alloc_decompressor
#define libdeflate_free_decompressor epitaph_libdeflate_free_decompressor
#define libdeflate_zlib_decompress epitaph_libdeflate_zlib_decompress
#define libdeflate_decompressor epitaph_libdeflate_decompressor
#define libdeflate_result epitaph_libdeflate_result

enum libdeflate_result { LIBDEFLATE_SUCCESS = 0 };

#include "../declared/epitaph_deflate_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as text that stays valid.
const char *epitaph_deflate_problem(void);

#pragma GCC visibility pop
