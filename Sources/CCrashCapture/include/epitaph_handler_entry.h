// SPDX-License-Identifier: Apache-2.0
//
// The crash handler, as the kernel calls it. Internal to the package.

#ifndef EPITAPH_HANDLER_ENTRY_H
#define EPITAPH_HANDLER_ENTRY_H

#include <signal.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. The handler of every crash signal: captures, seals, and passes the signal on.
void epitaph_handle_signal(int signal, siginfo_t *info, void *context);

#pragma GCC visibility pop

#endif
