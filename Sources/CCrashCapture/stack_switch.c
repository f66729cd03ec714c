// SPDX-License-Identifier: Apache-2.0

#include "stack_switch.h"

#include "bytes.h"
#include "sys.h"

#include <stddef.h>
#include <ucontext.h>

// The offsets that are spelt out in stack_switch_*.c.
_Static_assert(offsetof(ucontext_t, uc_stack.ss_sp) == 16, "stack_switch_*.c: 16");
_Static_assert(offsetof(ucontext_t, uc_stack.ss_flags) == 24, "stack_switch_*.c: 24");
_Static_assert(offsetof(ucontext_t, uc_stack.ss_size) == 32, "stack_switch_*.c: 32");
_Static_assert(SS_DISABLE == 2, "stack_switch_*.c: bit 1");

uint64_t epitaph_emergency_stack_end;
uint32_t epitaph_emergency_stack_taken;
static stack_t emergency_stack;

void epitaph_emergency_stack_set(void *memory, size_t size) {
    emergency_stack.ss_sp = memory;
    emergency_stack.ss_size = size;
    __atomic_store_n(&epitaph_emergency_stack_end, ((uint64_t)memory + size) & ~15ull,
                     __ATOMIC_RELEASE);
}

void epitaph_emergency_stack_release(void) {
    __atomic_store_n(&epitaph_emergency_stack_taken, 0, __ATOMIC_RELEASE);
}

// A fault in the handler must not begin at the end of the thread's own alternate stack again: the
// registers of the crash lie there. So the kernel is told of the stack we are on, which it allows
// because we are not on the one it knows. Returning from the handler puts the thread's own back,
// sigaltstack(2).
void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context,
                                       const void *entry) {
    epitaph_sys_sigaltstack(&emergency_stack);
    epitaph_handle_signal_here(signal, info, context, entry);
}

epitaph_range epitaph_emergency_stack_range(void) {
    uint64_t start = (uint64_t)emergency_stack.ss_sp;
    epitaph_range range = {start, start + emergency_stack.ss_size};
    return range;
}
