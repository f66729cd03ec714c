// SPDX-License-Identifier: Apache-2.0
//
// The system call that a stopped thread was in, read from the code around its instruction pointer.
// One file per architecture. CRASH-TIME.

#ifndef EPITAPH_THREADS_INTERRUPTED_CALL_H
#define EPITAPH_THREADS_INTERRUPTED_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Whether the thread was stopped inside a system call, which the instruction at its instruction
/// pointer or the one before shows, and if so which; -1 if the number is no longer known.
bool epitaph_interrupted_call_number(const ucontext_t *context, int64_t *number);

/// Repeats a system call that a signal has just interrupted, if that can be known: x86_64 only, and
/// only for calls that the program does not expect a signal handler to interrupt.
void epitaph_interrupted_call_restart(ucontext_t *context);

#pragma GCC visibility pop

#endif
