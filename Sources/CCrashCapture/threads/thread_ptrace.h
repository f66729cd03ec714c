// SPDX-License-Identifier: Apache-2.0
//
// Stops threads that do not receive the stop signal with ptrace(2). A process cannot trace its own
// threads, so a second process that shares our memory does it: the tracer. Only with the setting
// `traces_threads`. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREAD_PTRACE_H
#define EPITAPH_THREADS_THREAD_PTRACE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct epitaph_capture;

/// Starts the tracer for all threads that have not reacted; it fills in their slots. Returns
/// without waiting.
void epitaph_threads_trace(struct epitaph_capture *capture, uint64_t stop_deadline_ns);

/// Lets traced threads continue and ends the tracer. Harmless if there is none.
void epitaph_threads_untrace(struct epitaph_capture *capture);

#pragma GCC visibility pop

#endif
