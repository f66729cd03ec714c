// SPDX-License-Identifier: Apache-2.0

#include "epitaph_zstd.h"

EPITAPH_LIBRARY("libzstd.so.1", EPITAPH_ZSTD_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_zstd_problem, load_library)

ZSTD_DStream *ZSTD_createDStream(void) {
    return epitaph_zstd_problem() == NULL ? library.ZSTD_createDStream() : NULL;
}
