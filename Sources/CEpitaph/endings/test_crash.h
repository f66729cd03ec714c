// SPDX-License-Identifier: Apache-2.0
//
// Whether the program may be made to crash on purpose.

#ifndef EPITAPH_ENDINGS_TEST_CRASH_H
#define EPITAPH_ENDINGS_TEST_CRASH_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Set again by every start.
void epitaph_test_crash_allow(bool is_allowed);

#pragma GCC visibility pop

#endif
