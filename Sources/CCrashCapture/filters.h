// SPDX-License-Identifier: Apache-2.0
//
// seccomp filters. One that was there when Epitaph started let it make its calls (a container's, a
// service manager's). One that the program installs itself later is written for the program's own
// calls, and may end the process for any other: such a process is captured by stores alone unless
// the program says that its filter allows the calls of docs/async-safety.md.

#ifndef EPITAPH_FILTERS_H
#define EPITAPH_FILTERS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Whether the process has got filters since. False where that cannot be told: the
/// program has closed the descriptor, or there is no /proc. At most fstat(2) and read(2), or, in a
/// forked child, prctl(2).
bool epitaph_filters_are_new(void);

#pragma GCC visibility pop

#endif
