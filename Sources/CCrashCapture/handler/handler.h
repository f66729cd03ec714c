// SPDX-License-Identifier: Apache-2.0
//
// Where a crash begins. CRASH-TIME.

#ifndef EPITAPH_HANDLER_HANDLER_H
#define EPITAPH_HANDLER_HANDLER_H

#include <signal.h>

#pragma GCC visibility push(hidden)

/// Where the C code of the handler begins, on whichever stack. `entry` is the stack pointer the
/// handler was entered with: by it is known whether the kernel called it or another handler.
void epitaph_handle_signal_here(int signal, siginfo_t *info, void *context, const void *entry);

#pragma GCC visibility pop

#endif
