// SPDX-License-Identifier: Apache-2.0
//
// Handlers of the program that get the kernel's own frame, without our alternate stack. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_USUAL_STACK_H
#define EPITAPH_SIGNALS_USUAL_STACK_H

#include "signals/actions.h"

#pragma GCC visibility push(hidden)

/// `wanted` as the kernel gets it: with the entry as its handler if it asks for SA_ONSTACK.
epitaph_kernel_sigaction epitaph_usual_stack_action(const epitaph_kernel_sigaction *wanted);

/// Whether `handler`, the kernel's, is that of `wanted` or the entry to it.
bool epitaph_usual_stack_has(const void *handler, const epitaph_kernel_sigaction *wanted);

/// How far the kernel's frame at `frame` is from the interrupted stack, below which it would be
/// without an alternate one; 0 if it is there.
uint64_t epitaph_usual_stack_distance(const ucontext_t *context, const uint8_t *frame);

/// Copies the frame there, with its pointers into itself.
void epitaph_usual_stack_copy(ucontext_t *context, uint8_t *frame, uint64_t distance);

/// For the entry: moves the frame if it is on an alternate stack of ours.
epitaph_usual_stack_move epitaph_usual_stack_prepare(int signal, siginfo_t *info,
                                                     ucontext_t *context, uint8_t *frame);

/// The entry, usual_stack_*.c. Its second half, `epitaph_usual_stack_go`, is also that of our crash
/// handler's; it takes back what EPITAPH_USUAL_STACK_SAVE saved.
void epitaph_usual_stack_enter(int signal, siginfo_t *info, void *context);

// Saves the arguments of a handler on the stack, for the assembler.
#if defined(__x86_64__)
#define EPITAPH_USUAL_STACK_SAVE \
    "    pushq %rdi\n"           \
    ".cfi_adjust_cfa_offset 8\n" \
    "    pushq %rsi\n"           \
    ".cfi_adjust_cfa_offset 8\n" \
    "    pushq %rdx\n"           \
    ".cfi_adjust_cfa_offset 8\n"
#elif defined(__aarch64__)
#define EPITAPH_USUAL_STACK_SAVE      \
    "    stp x29, x30, [sp, #-48]!\n" \
    ".cfi_adjust_cfa_offset 48\n"     \
    ".cfi_offset x29, -48\n"          \
    ".cfi_offset x30, -40\n"          \
    "    stp x0, x1, [sp, #16]\n"     \
    "    str x2, [sp, #32]\n"
#endif

#pragma GCC visibility pop

#endif
