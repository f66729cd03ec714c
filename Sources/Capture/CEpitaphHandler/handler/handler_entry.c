// SPDX-License-Identifier: Apache-2.0
//
// The architecture-independent part of the handler's entry.

#include "handler/handler.h"

#include "epitaph_handler.h"

// Offsets that handler_entry_*.c has as numbers.
_Static_assert(offsetof(ucontext_t, uc_stack.ss_sp) == 16, "handler_entry_*.c: 16");
_Static_assert(offsetof(ucontext_t, uc_stack.ss_flags) == 24, "handler_entry_*.c: 24");
_Static_assert(offsetof(ucontext_t, uc_stack.ss_size) == 32, "handler_entry_*.c: 32");
_Static_assert(SS_DISABLE == 2, "handler_entry_*.c: bit 1");

// Makes the emergency stack the alternate stack, so that a fault in the handler does not start at
// the end of the thread's own alternate stack, where the crash registers are. The kernel allows it
// because we are not on the one it knows. Returning restores the thread's own, sigaltstack(2).
void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context, uint8_t *entry) {
    epitaph_emergency_stack_enter();
    epitaph_handle_signal_elsewhere(signal, info, context, entry);
}
