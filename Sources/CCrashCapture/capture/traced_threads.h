// SPDX-License-Identifier: Apache-2.0
//
// The state of the tracer, thread_tracer.c, in memory that it shares with the capture. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_TRACED_THREADS_H
#define EPITAPH_CAPTURE_TRACED_THREADS_H

#include "capture/thread_slots.h"
#include "processor/traced_registers.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
