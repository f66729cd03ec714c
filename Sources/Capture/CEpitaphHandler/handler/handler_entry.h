// SPDX-License-Identifier: Apache-2.0
//
// Entry of a crash: the first instructions of the handler, and its C code. CRASH-TIME.

#ifndef EPITAPH_HANDLER_HANDLER_ENTRY_H
#define EPITAPH_HANDLER_HANDLER_ENTRY_H

#include "prepared/emergency_stack.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

// The first instructions of the crash handler. `epitaph_handle_signal`, the function the kernel
// calls, is a few instructions that need no stack themselves: on an alternate stack with little
// room, or on an ordinary stack of unknown size, they continue on the emergency stack.

/// Called on the emergency stack.
void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context,
                                       const void *entry);

/// With this much room left a handler stays on its alternate stack: four times what the deepest
/// path of a capture needs without optimisation. A literal that the assembler can use.
#define EPITAPH_HANDLER_ROOM "0x8000"

/// Entry of the handler's C code, on whichever stack. `entry` is the stack pointer the handler was
/// entered with; it shows whether the kernel called it or another handler.
void epitaph_handle_signal_here(int signal, siginfo_t *info, void *context, const void *entry);

#pragma GCC visibility pop

#endif
