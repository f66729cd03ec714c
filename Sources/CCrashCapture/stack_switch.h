// SPDX-License-Identifier: Apache-2.0
//
// Getting off a stack that is too small for a capture. `epitaph_handle_signal`, the function the
// kernel calls, is a few instructions that need no stack themselves: on an alternate stack with
// little room, or on an ordinary stack of unknown size, they continue on one that was set aside at
// the start. There is one: a second thread that needs it stays where it is. CRASH-TIME.

#ifndef EPITAPH_STACK_SWITCH_H
#define EPITAPH_STACK_SWITCH_H

#include "epitaph_capture.h"
#include "memory.h"

#pragma GCC visibility push(hidden)

/// Where the C code of the handler begins, on whichever stack. `entry` is the stack pointer the
/// handler was entered with: it tells whether the kernel called it or another handler.
void epitaph_handle_signal_here(int signal, siginfo_t *info, void *context, const void *entry);

/// Where the emergency stack is; empty when there is none.
epitaph_range epitaph_emergency_stack_range(void);

/// The emergency stack is free again: called for one that ends without coming back from the
/// handler in memory that others go on with, as a child of vfork(2) does.
void epitaph_emergency_stack_release(void);

#define EPITAPH_HIDDEN __attribute__((visibility("hidden")))

/// The instructions' own: one past the emergency stack, 0 while there is none; 1 while it is in
/// use; and what they call there.
extern EPITAPH_HIDDEN uint64_t epitaph_emergency_stack_end;
extern EPITAPH_HIDDEN uint32_t epitaph_emergency_stack_taken;
EPITAPH_HIDDEN void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context,
                                                      const void *entry);

/// With this much room left a handler stays on its alternate stack: four times what the deepest
/// path of a capture takes without optimisation. A number the assembler can use.
#define EPITAPH_HANDLER_ROOM "0x8000"

#pragma GCC visibility pop

#endif
