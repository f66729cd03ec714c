// SPDX-License-Identifier: Apache-2.0
//
// seccomp filters. One that was there when Epitaph started let it make its calls (a container's, a
// service manager's). One that the program installs later itself is written for the program's own
// calls and may end the process for any other: such a process is captured by stores alone, unless
// the program says that its filter allows the calls of docs/async-safety.md. Internal to the
// package.

#ifndef EPITAPH_FILTERS_H
#define EPITAPH_FILTERS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Whether the process has got filters since. False if that is unknown: the
/// program has closed the descriptor, or there is no /proc. At most fstat(2) and read(2), or, in a
/// forked child, prctl(2).
bool epitaph_filters_are_new(void);

/// ANY-TIME. Opens /proc/self/status for a crash, which asks it for seccomp filters.
void epitaph_filters_watch(void);
/// QUIET-TIME. Remembers the filters there are, and begins to watch.
void epitaph_filters_remember(void);

/// ANY-TIME. Whether the process has no other filters than at its start: fstat(2), read(2) and
/// lseek(2); prctl(2) first where the program has closed the descriptor. False as well while
/// another thread asks, and if it is unknown. `filters_allow_capture` does not count here: it is
/// about the calls of a crash.
bool epitaph_filters_are_old(void);

#pragma GCC visibility pop

#endif
