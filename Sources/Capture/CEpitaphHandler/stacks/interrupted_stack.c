// SPDX-License-Identifier: Apache-2.0
//
// If a thread crashes in a signal handler on an alternate stack, its callers are on the stack it
// was on before. The kernel saved its registers on the alternate stack, in a ucontext_t that
// contains this very stack: sigaltstack(2); kernel/signal.c, __save_altstack. Its flags do not say
// whether the stack was in use, so the saved stack pointer is compared with it.

#include "stacks/stacks.h"

enum {
    /// Searched at the far end, where the frame of the stack's first signal is.
    SEARCHED_BYTES = 256 << 10,
    CONTEXT_BYTES = offsetof(ucontext_t, uc_mcontext) + 34 * 8,
    CHUNK_WORDS = 512,
};

static bool is_on(const stack_t *stack, uint64_t stack_pointer) {
    return stack_pointer - (uint64_t)stack->ss_sp < stack->ss_size;
}

static bool names(const uint8_t *bytes, const stack_t *stack) {
    stack_t saved;
    epitaph_bytes_copy(&saved, bytes, sizeof saved);
    return saved.ss_sp == stack->ss_sp && saved.ss_size == stack->ss_size;
}

static uint64_t saved_stack_pointer(uint64_t context_address) {
    ucontext_t saved;
    epitaph_bytes_zero(&saved, sizeof saved);
    if (!epitaph_memory_read_exactly(&saved, context_address, CONTEXT_BYTES)) return 0;
    return epitaph_registers_stack_pointer(&saved);
}

/// The stack pointer of the code that the first signal on `stack` interrupted; 0 if not found.
static uint64_t find_interrupted(const stack_t *stack, uint64_t from) {
    uint64_t words[CHUNK_WORDS];
    uint64_t end = (uint64_t)stack->ss_sp + stack->ss_size;
    uint64_t next = (from + 7) & ~7ull;
    if (end < next) return 0;
    if (end - next > SEARCHED_BYTES) next = end - SEARCHED_BYTES;
    while (next + sizeof *stack <= end) {
        uint64_t count = end - next < sizeof words ? end - next : sizeof words;
        if (epitaph_memory_read(words, next, count) < count) return 0;
        uint64_t at = 0;
        for (; at + sizeof *stack <= count; at += sizeof *words) {
            if (!names((const uint8_t *)words + at, stack)) continue;
            uint64_t found = saved_stack_pointer(next + at - offsetof(ucontext_t, uc_stack));
            // A nested signal was already on this stack.
            if (found != 0 && !is_on(stack, found)) return found;
        }
        next += at;
    }
    return 0;
}

uint64_t epitaph_stack_find_interrupted(const ucontext_t *context) {
    const stack_t *stack = &context->uc_stack;
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    return is_on(stack, stack_pointer) ? find_interrupted(stack, stack_pointer) : 0;
}
