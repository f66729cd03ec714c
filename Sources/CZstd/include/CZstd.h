// SPDX-License-Identifier: Apache-2.0
//
// libzstd, loaded when a core file is read that systemd-coredump stored with it.
// docs/decisions/libraries-when-needed.md.
//
// The calls are the library's own, declared by us so that its headers need not be there; each that
// is used is listed here and in the table of its library.
#pragma once

#pragma redefine_extname ZSTD_createDStream epitaph_zstd_createDStream
#pragma redefine_extname ZSTD_freeDStream epitaph_zstd_freeDStream
#pragma redefine_extname ZSTD_decompressStream epitaph_zstd_decompressStream
#pragma redefine_extname ZSTD_isError epitaph_zstd_isError
#pragma redefine_extname ZSTD_getErrorName epitaph_zstd_getErrorName

#include "zstd_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_zstd_problem(void);

#pragma GCC visibility pop
