// SPDX-License-Identifier: Apache-2.0
//
// libzstd, loaded for core files that systemd-coredump compressed with it. docs/decisions/code.md.
#pragma once

// Our own names, see epitaph_loaded_library.h.
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

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_zstd_problem(void);

#pragma GCC visibility pop
