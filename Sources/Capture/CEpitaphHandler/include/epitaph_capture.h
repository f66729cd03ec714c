// SPDX-License-Identifier: Apache-2.0
//
// What quiet time asks of a capture. Internal to the package.

#ifndef EPITAPH_CAPTURE_H
#define EPITAPH_CAPTURE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Whether a thread is capturing.
bool epitaph_capture_is_going_on(void);

/// QUIET-TIME. In a forked child: closes the files it has inherited from its parent, except the
/// armed one if it may take that over.
void epitaph_forked_child_leave_files(bool is_heir);

#pragma GCC visibility pop

#endif
