// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of libdebuginfod 1 are those of the library's own header.

#include <elfutils/debuginfod.h>

// A function or type that is declared twice must be declared alike.
#include "declared/epitaph_debuginfod_calls.h"
