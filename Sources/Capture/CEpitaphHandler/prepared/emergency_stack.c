// SPDX-License-Identifier: Apache-2.0
//
// The only emergency stack: a second thread that needs it stays on its own.

#include "prepared/emergency_stack.h"

#include "epitaph_settings.h"
#include "system/sys.h"

uint64_t epitaph_emergency_stack_end;
uint32_t epitaph_emergency_stack_taken;
static stack_t emergency_stack;

void epitaph_emergency_stack_set(void *memory, size_t size) {
    emergency_stack.ss_sp = memory;
    emergency_stack.ss_size = size;
    __atomic_store_n(&epitaph_emergency_stack_end, ((uint64_t)memory + size) & ~15ull,
                     __ATOMIC_RELEASE);
}

void epitaph_emergency_stack_enter(void) {
    epitaph_sys_sigaltstack(&emergency_stack);
}

void epitaph_emergency_stack_release(void) {
    __atomic_store_n(&epitaph_emergency_stack_taken, 0, __ATOMIC_RELEASE);
}

epitaph_range epitaph_emergency_stack_range(void) {
    uint64_t start = (uint64_t)emergency_stack.ss_sp;
    epitaph_range range = {start, start + emergency_stack.ss_size};
    return range;
}
