// SPDX-License-Identifier: Apache-2.0
//
// Threads that do not take the stop signal, stopped with ptrace(2) instead. A process cannot trace
// its own threads, so a second process that shares our memory does it: the tracer. Only with the
// setting `traces_threads`. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREAD_PTRACE_H
#define EPITAPH_THREADS_THREAD_PTRACE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct epitaph_capture;

/// Starts the tracer for all threads that have not answered; it answers in their place. Returns
/// without waiting.
void epitaph_threads_trace(struct epitaph_capture *capture, uint64_t stop_deadline_ns);

/// Lets traced threads go on and ends the tracer. Harmless when there is none.
void epitaph_threads_untrace(struct epitaph_capture *capture);

#pragma GCC visibility pop

#endif
