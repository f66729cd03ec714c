// SPDX-License-Identifier: Apache-2.0
//
// Where the kernel has put the program's arguments and environment, which stay out of dumps.
// CRASH-TIME.

#ifndef EPITAPH_PRIVACY_ARGUMENT_AREA_H
#define EPITAPH_PRIVACY_ARGUMENT_AREA_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Their range; empty if it is not known.
epitaph_range epitaph_argument_area(const epitaph_capture *capture);

/// Whether any byte may belong to the program's arguments and environment, which are above the main
/// thread's stack and stay out of dumps.
bool epitaph_range_is_private(const epitaph_capture *capture, epitaph_range range);

#pragma GCC visibility pop

#endif
