// SPDX-License-Identifier: Apache-2.0

#include "epitaph_deflate.h"

EPITAPH_LIBRARY("libdeflate.so.0", EPITAPH_DEFLATE_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_deflate_problem, load_library)

struct libdeflate_decompressor *libdeflate_alloc_decompressor(void) {
    if (epitaph_deflate_problem() != NULL) return NULL;
    return library.libdeflate_alloc_decompressor();
}
