// SPDX-License-Identifier: Apache-2.0
//
// Where the kernel has put the arguments and the environment of the program, which stay out of
// dumps. CRASH-TIME.

#ifndef EPITAPH_PRIVACY_ARGUMENT_AREA_H
#define EPITAPH_PRIVACY_ARGUMENT_AREA_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Where they lie; empty when that is not known.
epitaph_range epitaph_argument_area(const epitaph_capture *capture);

/// Whether any byte may belong to the arguments and the environment of the program, which lie above
/// the main thread's stack and stay out of dumps.
bool epitaph_range_is_private(const epitaph_capture *capture, epitaph_range range);

#pragma GCC visibility pop

#endif
