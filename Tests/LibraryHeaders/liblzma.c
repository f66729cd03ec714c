// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of liblzma are those of the library's own header.

#include <lzma.h>

#include "same.h"

// A function that is declared twice must be declared alike.
#include "lzma_calls.h"

SAME_VALUE(LZMA_OK, 0)
SAME_VALUE(LZMA_PROG_ERROR, 11)
