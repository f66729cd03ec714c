// SPDX-License-Identifier: Apache-2.0
//
// What is kept of an allocation or a free(3): enough to unwind the stack later with the tables of
// the program. Only words that may be addresses are kept: the others are not needed for that, and
// texts and numbers of the program are nobody's business.

#include "heap.h"

enum { WORD = sizeof(uint64_t), PAGE_BYTES = 4096 };

_Static_assert(sizeof(epitaph_heap_moment) == PAGE_BYTES, "docs/memory-errors.md says how large");

/// The program counter, the stack pointer, and what functions preserve, at one instruction of the
/// function that this is inlined into, for which there are unwind tables.
__attribute__((always_inline)) static inline void epitaph_heap_note_registers(uint64_t *registers) {
#if defined(__x86_64__)
    __asm__ volatile("leaq 0(%%rip), %%rax\n"
                     "movq %%rax, 0(%0)\n"
                     "movq %%rsp, 8(%0)\n"
                     "movq %%rbp, 16(%0)\n"
                     "movq %%rbx, 24(%0)\n"
                     "movq %%r12, 32(%0)\n"
                     "movq %%r13, 40(%0)\n"
                     "movq %%r14, 48(%0)\n"
                     "movq %%r15, 56(%0)\n"
                     :
                     : "r"(registers)
                     : "rax", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("adr x9, .\n"
                     "mov x10, sp\n"
                     "stp x9, x10, [%0]\n"
                     "stp x19, x20, [%0, #16]\n"
                     "stp x21, x22, [%0, #32]\n"
                     "stp x23, x24, [%0, #48]\n"
                     "stp x25, x26, [%0, #64]\n"
                     "stp x27, x28, [%0, #80]\n"
                     "stp x29, x30, [%0, #96]\n"
                     :
                     : "r"(registers)
                     : "x9", "x10", "memory");
#endif
}

/// The part of a stack that certainly exists if nothing is known about it: a coroutine's.
static uint64_t end_in_page(uint64_t stack_pointer) {
    return (stack_pointer | (PAGE_BYTES - 1)) + 1;
}

__attribute__((no_sanitize("address"))) static void copy_stack(epitaph_heap_moment *moment) {
    uint64_t start = moment->registers[1];
    uint64_t end = epitaph_heap_request_now.host.stack_end(start);
    if (end <= start) end = end_in_page(start);
    uint64_t count = (end - start) / WORD;
    if (count > EPITAPH_HEAP_STACK_WORDS) count = EPITAPH_HEAP_STACK_WORDS;
    const uint64_t *stack = (const uint64_t *)start;
    uint32_t kept = 0;
    bool follows_frame = false;
    uint32_t i = 0;
    for (; i < count && kept < EPITAPH_HEAP_KEPT_WORDS; i++) {
        uint64_t word = stack[i];
        // Return addresses carry a code where pointers are authenticated; on aarch64 they stand
        // behind the caller's frame pointer (AAPCS64 6.4.6).
        bool is_kept = epitaph_heap_may_be_address(word) || (follows_frame && word != 0);
        follows_frame = word > start && word < end && word % WORD == 0;
        if (i % 64 == 0) moment->present[i / 64] = 0;
        if (!is_kept) continue;
        moment->present[i / 64] |= 1ull << (i % 64);
        moment->words[kept++] = word;
    }
    moment->stack_words = i;
    moment->kept_words = kept;
}

void epitaph_heap_moment_note(epitaph_heap_moment *moment) {
    const epitaph_heap_host *host = &epitaph_heap_request_now.host;
    epitaph_heap_note_registers(moment->registers);
    moment->time_ns = epitaph_heap_now_ns();
    moment->tid = host->tid();
    host->thread_name(moment->thread_name);
    moment->attribute_bytes = host->scope(moment->attributes, EPITAPH_HEAP_ATTRIBUTE_BYTES);
    copy_stack(moment);
}
