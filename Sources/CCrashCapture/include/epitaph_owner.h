// SPDX-License-Identifier: Apache-2.0
//
// Whether a thread of this process is capturing. Internal to the package.

#ifndef EPITAPH_OWNER_H
#define EPITAPH_OWNER_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Whether a thread is capturing.
bool epitaph_capture_is_going_on(void);

#pragma GCC visibility pop

#endif
