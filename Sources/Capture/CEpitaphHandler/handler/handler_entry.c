// SPDX-License-Identifier: Apache-2.0
//
// The part of the handler's first instructions that is the same on every architecture.

#include "handler/handler.h"

#include "epitaph_handler.h"

// The offsets that are written as numbers in handler_entry_*.c.
_Static_assert(offsetof(ucontext_t, uc_stack.ss_sp) == 16, "handler_entry_*.c: 16");
_Static_assert(offsetof(ucontext_t, uc_stack.ss_flags) == 24, "handler_entry_*.c: 24");
_Static_assert(offsetof(ucontext_t, uc_stack.ss_size) == 32, "handler_entry_*.c: 32");
_Static_assert(SS_DISABLE == 2, "handler_entry_*.c: bit 1");

// A fault in the handler must not start at the end of the thread's own alternate stack again, where
// the registers of the crash are. So the stack we are on becomes the alternate stack, which the
// kernel allows because we are not on the one it knows. Returning from the handler restores the
// thread's own, sigaltstack(2).
void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context,
                                       const void *entry) {
    epitaph_emergency_stack_enter();
    epitaph_handle_signal_here(signal, info, context, entry);
}
