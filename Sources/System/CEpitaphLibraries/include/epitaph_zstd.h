// SPDX-License-Identifier: Apache-2.0
//
// libzstd, loaded when a core file is read that systemd-coredump stored with it.
// docs/decisions/code.md.
//
// The calls are the library's own, declared by us so that its headers need not be there; each that
// is used is listed here and in the table of its library.
#pragma once

// Names of our own: epitaph_loaded_library.h.
#define ZSTD_createDStream epitaph_zstd_createDStream
#define ZSTD_freeDStream epitaph_zstd_freeDStream
#define ZSTD_decompressStream epitaph_zstd_decompressStream
#define ZSTD_isError epitaph_zstd_isError
#define ZSTD_getErrorName epitaph_zstd_getErrorName
#define ZSTD_DStream epitaph_zstd_DStream
#define ZSTD_inBuffer epitaph_zstd_inBuffer
#define ZSTD_outBuffer epitaph_zstd_outBuffer

#include "../declared/epitaph_zstd_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_zstd_problem(void);

#pragma GCC visibility pop
