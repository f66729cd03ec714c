// SPDX-License-Identifier: Apache-2.0
//
// Threads that do not receive the stop signal are stopped with ptrace(2). CRASH-TIME.

#ifndef EPITAPH_THREADS_TRACER_H
#define EPITAPH_THREADS_TRACER_H

#include "processor/registers.h"
#include "threads/thread_slots.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

// The state of the tracer, thread_tracer.c, in memory that it shares with the capture.

enum { EPITAPH_TRACED_LIMIT = 256, EPITAPH_TRACER_STACK_SIZE = 16384 };

typedef enum epitaph_trace_state {
    EPITAPH_TRACE_FAILED,
    /// Attached and interrupted (PTRACE_INTERRUPT), but not stopped yet.
    EPITAPH_TRACE_STOPPING,
    EPITAPH_TRACE_STOPPED,
} epitaph_trace_state;

typedef struct epitaph_traced_thread {
    epitaph_thread_slot *slot;
    epitaph_trace_state state;
    /// A signal the thread was about to receive when it stopped; it is delivered when the thread
    /// continues.
    int pending_signal;
    /// What the kernel reports about the thread besides its registers.
    epitaph_thread_slot description;
    epitaph_traced_registers registers;
} epitaph_traced_thread;

/// Set by the capture; the tracer waits on it.
typedef enum epitaph_tracer_phase {
    /// The process exists but may not have permission to trace yet.
    EPITAPH_TRACER_PREPARING,
    EPITAPH_TRACER_ALLOWED,
    /// The threads may continue, and the tracer should end.
    EPITAPH_TRACER_RELEASED,
} epitaph_tracer_phase;

typedef struct epitaph_tracer {
    /// The process; 0 while there is none.
    int32_t pid;
    int32_t parent_pid;
    uint32_t phase;
    /// The time by which the threads have to stop, CLOCK_MONOTONIC.
    uint64_t stop_deadline_ns;
    epitaph_thread_slots *slots;
    uint32_t count;
    epitaph_traced_thread threads[EPITAPH_TRACED_LIMIT];
    _Alignas(16) uint8_t stack[EPITAPH_TRACER_STACK_SIZE];
} epitaph_tracer;

// Stops threads that do not receive the stop signal with ptrace(2). A process cannot trace its own
// threads, so a second process that shares our memory does it: the tracer. Only with the setting
// `traces_threads`.

struct epitaph_capture;

/// Starts the tracer for all threads that have not reacted; it fills in their slots. Returns
/// without waiting.
void epitaph_threads_trace(struct epitaph_capture *capture, uint64_t stop_deadline_ns);

/// Lets traced threads continue and ends the tracer. Harmless if there is none.
void epitaph_threads_untrace(struct epitaph_capture *capture);

// The tracer itself: a process that shares the memory of the one it traces.

/// What the tracer runs from beginning to end; `argument` is the `epitaph_tracer`. Runs in a
/// process of its own, on the stack in there. Returns its exit status.
int epitaph_tracer_run(void *argument);

#pragma GCC visibility pop

#endif
