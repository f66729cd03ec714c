// SPDX-License-Identifier: Apache-2.0
//
// The handler of signals whose deaths are marked. Internal to the package.

#ifndef EPITAPH_MARKED_SIGNAL_H
#define EPITAPH_MARKED_SIGNAL_H

#include <signal.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Marks the armed file, if it is this process's, and brings the default action about.
void epitaph_handle_marked_signal(int signal, siginfo_t *info, void *context);

#pragma GCC visibility pop

#endif
