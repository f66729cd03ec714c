// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of libdeflate are those of the library's own header.

#include <libdeflate.h>

#include "same.h"

// A function that is declared twice must be declared alike.
#include "declared/epitaph_deflate_calls.h"

SAME_VALUE(LIBDEFLATE_SUCCESS, 0)
