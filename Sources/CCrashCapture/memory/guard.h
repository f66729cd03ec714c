// SPDX-License-Identifier: Apache-2.0
//
// Plain loads and stores that may fault, without a system call: the fault returns to our own
// handler, which continues behind them. For the first record and for captures that may only load
// and store; everything else lets the kernel read, memory_reader.h. One user at a time: the thread
// that has taken the armed file. CRASH-TIME.

#ifndef EPITAPH_MEMORY_GUARD_H
#define EPITAPH_MEMORY_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Calls `function` and returns true, or false if it faulted; then it was abandoned at that point.
bool epitaph_guard_run(void (*function)(void *argument), void *argument);

/// Copies up to `count` bytes and returns how many were copied, up to the first page that cannot be
/// read or written.
size_t epitaph_guarded_copy(void *to, const void *from, size_t count);

/// Must be called first in the handler. Does not return if the fault belongs to guarded code.
void epitaph_guard_catch(const siginfo_t *info, const ucontext_t *context);

#pragma GCC visibility pop

#endif
