// SPDX-License-Identifier: Apache-2.0
//
// Closes files of its parent in a forked child. Internal to the package.

#ifndef EPITAPH_FORKED_CHILD_H
#define EPITAPH_FORKED_CHILD_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. In a forked child: closes the files it has inherited from its parent, except the
/// armed one if it may take that over.
void epitaph_forked_child_leave_files(bool is_heir);

#pragma GCC visibility pop

#endif
