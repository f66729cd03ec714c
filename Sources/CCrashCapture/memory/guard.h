// SPDX-License-Identifier: Apache-2.0
//
// Plain loads and stores that may fault, without a system call: the fault comes back to our own
// handler, which goes on behind them. For the first record and for captures that may do nothing but
// load and store; everything else has the kernel read, memory_reader.h. One user at a time: the
// thread that has taken the armed file. CRASH-TIME.

#ifndef EPITAPH_MEMORY_GUARD_H
#define EPITAPH_MEMORY_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Calls `function` and returns true, or false when it faulted: then it was left where it was.
bool epitaph_guard_run(void (*function)(void *argument), void *argument);

/// Copies up to `count` bytes and returns how many: to the first page that cannot be read, or
/// written.
size_t epitaph_guarded_copy(void *to, const void *from, size_t count);

/// To be called first by the handler. Does not return when the fault hit what is guarded.
void epitaph_guard_catch(const siginfo_t *info, const ucontext_t *context);

#pragma GCC visibility pop

#endif
