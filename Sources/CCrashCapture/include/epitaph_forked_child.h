// SPDX-License-Identifier: Apache-2.0
//
// What a forked child gives up of its parent's: its files. Internal to the package.

#ifndef EPITAPH_FORKED_CHILD_H
#define EPITAPH_FORKED_CHILD_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. In a forked child: closes what it has inherited of its parent's files, but for the
/// armed one if it may become its heir.
void epitaph_forked_child_leave_files(bool is_heir);

#pragma GCC visibility pop

#endif
