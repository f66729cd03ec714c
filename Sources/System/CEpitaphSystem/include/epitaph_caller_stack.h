// SPDX-License-Identifier: Apache-2.0
//
// Copies the calling thread's registers and stack within microseconds. QUIET-TIME; preserve errno.

#ifndef EPITAPH_CALLER_STACK_H
#define EPITAPH_CALLER_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// Limit of copied stack, from the stack pointer up.
    EPITAPH_CALLER_STACK_BYTES = 65536,
    /// Limit of copied Swift task contexts.
    EPITAPH_CALLER_CONTEXTS = 48,
/// EM_X86_64 or EM_AARCH64, elf.h.
#if defined(__x86_64__)
    EPITAPH_CALLER_MACHINE = 62,
#else
    EPITAPH_CALLER_MACHINE = 183,
#endif
};

/// Callee-saved registers, stack pointer and program counter. x86_64 (psABI 3.2.1): rbx, rbp, r12
/// to r15, rsp, rip. aarch64 (AAPCS64 6.1): x19 to x30, sp, pc.
typedef struct epitaph_caller_registers {
    uint64_t words[14];
} epitaph_caller_registers;

/// Head of an AsyncContext, swift/ABI/Task.h: the function that awaits an async function.
typedef struct epitaph_caller_context {
    uint64_t address;
    /// The awaiting function's context, and where that function resumes.
    uint64_t words[2];
} epitaph_caller_context;

typedef struct epitaph_caller_stack {
    epitaph_caller_registers registers;
    /// gettid(2)
    uint64_t thread_id;
    /// prctl(2), PR_GET_NAME; NUL-terminated.
    char thread_name[16];
    /// Address of the first of `bytes`.
    uint64_t address;
    uint32_t byte_count;
    bool is_cut;
    /// Nothing was copied: the kernel refused, and the stack's end is unknown.
    bool is_unreadable;
    /// In a prepared buffer, to be returned.
    bool is_from_ready_memory;
    uint32_t context_count;
    epitaph_caller_context contexts[EPITAPH_CALLER_CONTEXTS];
    /// Context at which a chain was cut; 0 if none was.
    uint64_t cut_context;
    uint8_t bytes[];
} epitaph_caller_stack;

/// Copies the calling thread's registers and stack. Free with epitaph_caller_stack_free; NULL
/// without memory. Unless `is_in_task`, skips the system calls that look for async contexts.
epitaph_caller_stack *epitaph_caller_stack_copy(bool is_in_task);

void epitaph_caller_stack_free(epitaph_caller_stack *stack);

/// Prepares up to `count` buffers, at most 4, of 68 KiB each with resident pages.
void epitaph_caller_buffers_prepare(uint32_t count);

/// Hash of `seed` and the innermost return addresses by frame pointers: equal for the same path.
uint64_t epitaph_caller_key(uint64_t seed);

/// getpid(2), to detect a forked child.
int32_t epitaph_caller_process(void);

#pragma GCC visibility pop

#endif
