// SPDX-License-Identifier: Apache-2.0
//
// seccomp filters. A filter that existed when Epitaph started (a container's, a service manager's)
// allowed its calls. One that the program installs later is written for the program's own calls and
// may kill the process for any other. Such a process is captured by stores alone, unless the
// program says that its filter allows the calls of docs/async-safety.md. Internal to the package.

#ifndef EPITAPH_FILTERS_H
#define EPITAPH_FILTERS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Whether the process has got filters since. False if that is not known: the program
/// has closed the descriptor, or there is no /proc. Calls at most fstat(2) and read(2), or prctl(2)
/// in a forked child.
bool epitaph_filters_are_new(void);

/// ANY-TIME. Opens /proc/self/status, which is read for seccomp filters in a crash.
void epitaph_filters_watch(void);
/// QUIET-TIME. Remembers the current filters, and begins to watch.
void epitaph_filters_remember(void);

/// ANY-TIME. Whether the process has no other filters than at its start: fstat(2), read(2) and
/// lseek(2); prctl(2) first if the program has closed the descriptor. Also false while another
/// thread checks, and if it is not known. `filters_allow_capture` does not matter here: it is about
/// the calls of a crash.
bool epitaph_filters_are_old(void);

#pragma GCC visibility pop

#endif
