// SPDX-License-Identifier: Apache-2.0
//
// Copies the calling thread's registers and stack within microseconds, so that they can be
// evaluated later and elsewhere. All functions are QUIET-TIME, and preserve errno.

#ifndef EPITAPH_CALLER_STACK_H
#define EPITAPH_CALLER_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// How much of a stack is copied, from the stack pointer upwards.
    EPITAPH_CALLER_STACK_BYTES = 65536,
    /// How many contexts of Swift tasks are copied.
    EPITAPH_CALLER_CONTEXTS = 48,
/// Whose registers are copied: EM_X86_64 or EM_AARCH64, elf.h.
#if defined(__x86_64__)
    EPITAPH_CALLER_MACHINE = 62,
#else
    EPITAPH_CALLER_MACHINE = 183,
#endif
};

/// The registers that a function has to preserve (x86_64: psABI 3.2.1; aarch64: AAPCS64 6.1), stack
/// pointer and program counter. x86_64: rbx, rbp, r12 to r15, rsp, rip. aarch64: x19 to x30, sp,
/// pc.
typedef struct epitaph_caller_registers {
    uint64_t words[14];
} epitaph_caller_registers;

/// The head of an AsyncContext, swift/ABI/Task.h: the function that awaits an async function.
typedef struct epitaph_caller_context {
    /// The address of the context.
    uint64_t address;
    /// The context of the awaiting function, and the address at which that function continues.
    uint64_t words[2];
} epitaph_caller_context;

/// The registers and stack of the calling thread.
typedef struct epitaph_caller_stack {
    epitaph_caller_registers registers;
    /// gettid(2)
    uint64_t thread_id;
    /// prctl(2), PR_GET_NAME; ends with NUL.
    char thread_name[16];
    /// The address of the first of `bytes`.
    uint64_t address;
    uint32_t byte_count;
    /// The stack is larger than what was copied.
    bool is_cut;
    /// Nothing could be copied: the kernel refused, and the end of the stack is not known.
    bool is_unreadable;
    /// It lies in memory that was kept ready, and goes back there.
    bool is_from_ready_memory;
    uint32_t context_count;
    epitaph_caller_context contexts[EPITAPH_CALLER_CONTEXTS];
    /// The address of the context at which a chain was cut; 0 if none was.
    uint64_t cut_context;
    uint8_t bytes[];
} epitaph_caller_stack;

/// Copies the calling thread's registers and stack, into memory that was kept ready if there is
/// some. To be freed with epitaph_caller_stack_free. NULL without memory.
///
/// - Parameter is_in_task: whether a Swift task runs on the thread. Without one no async function
///   is on its stack, and the kernel need not be asked for contexts.
epitaph_caller_stack *epitaph_caller_stack_copy(bool is_in_task);

/// Frees a copy. From any thread.
void epitaph_caller_stack_free(epitaph_caller_stack *stack);

/// Keeps memory ready for so many copies, at most 4, each of 68 KiB with all of its pages.
void epitaph_caller_buffers_prepare(uint32_t count);

/// A number that is equal for calls that were reached by the same path: computed from `seed` and
/// the return addresses of the innermost frames, found by frame pointers.
uint64_t epitaph_caller_key(uint64_t seed);

/// getpid(2), which is different in a child of fork(2).
int32_t epitaph_caller_process(void);

#pragma GCC visibility pop

#endif
