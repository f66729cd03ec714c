// SPDX-License-Identifier: Apache-2.0
//
// Entry of a crash. CRASH-TIME.

#ifndef EPITAPH_HANDLER_HANDLER_H
#define EPITAPH_HANDLER_HANDLER_H

#include <signal.h>

#pragma GCC visibility push(hidden)

/// Entry of the handler's C code, on whichever stack. `entry` is the stack pointer the handler was
/// entered with; it shows whether the kernel called it or another handler.
void epitaph_handle_signal_here(int signal, siginfo_t *info, void *context, const void *entry);

#pragma GCC visibility pop

#endif
