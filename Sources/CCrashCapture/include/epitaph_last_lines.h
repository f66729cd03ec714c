// SPDX-License-Identifier: Apache-2.0
//
// Remembers standard error for the lines that a crash may write there. Internal to the package.

#ifndef EPITAPH_LAST_LINES_H
#define EPITAPH_LAST_LINES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Remembers which file standard error is, for the lines that a crash writes there if
/// they are wanted.
void epitaph_last_lines_prepare(bool is_wanted);

#pragma GCC visibility pop

#endif
