// SPDX-License-Identifier: Apache-2.0
//
// The first instructions of the crash handler. `epitaph_handle_signal`, the function the kernel
// calls, is a few instructions that need no stack themselves: on an alternate stack with little
// room, or on an ordinary stack of unknown size, they continue on the emergency stack. CRASH-TIME.

#ifndef EPITAPH_HANDLER_HANDLER_ENTRY_H
#define EPITAPH_HANDLER_HANDLER_ENTRY_H

#include "prepared/emergency_stack.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

/// Called on the emergency stack.
EPITAPH_HIDDEN void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context,
                                                      const void *entry);

/// With this much room left a handler stays on its alternate stack: four times what the deepest
/// path of a capture needs without optimisation. A literal that the assembler can use.
#define EPITAPH_HANDLER_ROOM "0x8000"

#pragma GCC visibility pop

#endif
