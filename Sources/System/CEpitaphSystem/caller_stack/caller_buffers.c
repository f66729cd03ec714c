// SPDX-License-Identifier: Apache-2.0
//
// Copying 64 KiB into fresh memory takes 17 page faults, and a thread's first allocation creates a
// heap: several times the cost of the copy. So a few buffers are prepared in advance.

#include "caller_parts.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, READY_LIMIT = 4 };

static const size_t buffer_bytes =
    (sizeof(epitaph_caller_stack) + EPITAPH_CALLER_STACK_BYTES + PAGE - 1) / PAGE * PAGE;

/// Taken by exchange with NULL, returned to any slot that is NULL.
static epitaph_caller_stack *ready[READY_LIMIT];

static bool put(epitaph_caller_stack *stack, uint32_t place_count) {
    for (uint32_t i = 0; i < place_count; i++) {
        epitaph_caller_stack *nothing = NULL;
        if (__atomic_compare_exchange_n(&ready[i], &nothing, stack, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

epitaph_caller_stack *epitaph_caller_buffer_take(size_t count) {
    for (int i = 0; i < READY_LIMIT; i++) {
        if (__atomic_load_n(&ready[i], __ATOMIC_RELAXED) == NULL) continue;
        epitaph_caller_stack *stack = __atomic_exchange_n(&ready[i], NULL, __ATOMIC_ACQ_REL);
        if (stack != NULL) return stack;
    }
    epitaph_caller_stack *stack = malloc(sizeof *stack + count);
    if (stack != NULL) stack->is_from_ready_memory = false;
    return stack;
}

void epitaph_caller_buffers_prepare(uint32_t count) {
    if (count > READY_LIMIT) count = READY_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        if (__atomic_load_n(&ready[i], __ATOMIC_RELAXED) != NULL) continue;
        void *memory = mmap(NULL, buffer_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (memory == MAP_FAILED) return;
        epitaph_caller_stack *stack = memory;
        stack->is_from_ready_memory = true;
        if (!put(stack, count)) munmap(memory, buffer_bytes);
    }
}

void epitaph_caller_stack_free(epitaph_caller_stack *stack) {
    if (!stack->is_from_ready_memory) {
        free(stack);
    } else if (!put(stack, READY_LIMIT)) {
        munmap(stack, buffer_bytes);
    }
}
