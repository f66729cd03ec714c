// SPDX-License-Identifier: Apache-2.0
//
// The tracer itself: a process that shares the memory of the one it traces. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREAD_TRACER_H
#define EPITAPH_THREADS_THREAD_TRACER_H

#pragma GCC visibility push(hidden)

/// What the tracer runs from beginning to end; `argument` is the `epitaph_tracer`. Runs in a
/// process of its own, on the stack in there. Returns its exit status.
int epitaph_tracer_run(void *argument);

#pragma GCC visibility pop

#endif
