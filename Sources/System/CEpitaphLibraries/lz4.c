// SPDX-License-Identifier: Apache-2.0

#include "epitaph_lz4.h"

EPITAPH_LIBRARY("liblz4.so.1", EPITAPH_LZ4_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_lz4_problem, load_library)

size_t LZ4F_createDecompressionContext(LZ4F_dctx **context, unsigned version) {
    *context = NULL;
    return epitaph_lz4_problem() == NULL ? library.LZ4F_createDecompressionContext(context, version)
                                         : 0;
}
