// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of liblzma are those of the library's own header.

#include <lzma.h>

#include "same.h"

// A function that is declared twice must be declared alike.
#include "declared/epitaph_lzma_calls.h"

SAME_VALUE(LZMA_OK, 0)
SAME_VALUE(LZMA_STREAM_END, 1)
SAME_VALUE(LZMA_MEMLIMIT_ERROR, 6)
SAME_VALUE(LZMA_PROG_ERROR, 11)
SAME_VALUE(LZMA_RUN, 0)
SAME_VALUE(LZMA_FINISH, 3)
_Static_assert(sizeof(lzma_stream) == 136, "lzma_stream has another size");
_Static_assert(offsetof(lzma_stream, internal) == 56, "internal is elsewhere");
