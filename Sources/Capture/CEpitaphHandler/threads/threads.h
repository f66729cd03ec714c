// SPDX-License-Identifier: Apache-2.0
//
// The other threads: stopped by a signal or by the tracer, and described where they do not stop.
// CRASH-TIME.

#ifndef EPITAPH_THREADS_THREADS_H
#define EPITAPH_THREADS_THREADS_H

#include "capture/capture.h"
#include "epitaph_thread_registry.h"

#pragma GCC visibility push(hidden)

// One slot for each thread: the capture asks the thread to stop, and the thread fills the slot in
// inside its signal handler. One thread adds slots; any thread may look for its own at
// the same time.

enum {
    EPITAPH_THREAD_HASH_SIZE = 2 * EPITAPH_THREAD_LIMIT,
    EPITAPH_THREAD_NAME_SIZE = 16,
};

typedef enum epitaph_thread_answer {
    EPITAPH_THREAD_ASKED,
    EPITAPH_THREAD_STOPPED,
    /// The thread has ended, before the signal was sent or with the signal still pending.
    EPITAPH_THREAD_GONE,
    /// The slot is being filled in, by its thread or by the tracer.
    EPITAPH_THREAD_ANSWERING,
    /// Not asked, because its system call would have been interrupted.
    EPITAPH_THREAD_LEFT_RUNNING,
} epitaph_thread_answer;

typedef struct epitaph_thread_slot {
    int32_t tid;
    /// An `epitaph_thread_answer`; the fields below are valid once it is EPITAPH_THREAD_STOPPED.
    uint64_t answer;
    const ucontext_t *context;
    uint64_t thread_data_address;
    int32_t policy;
    int32_t priority;
    int32_t nice;
    char name[EPITAPH_THREAD_NAME_SIZE];
    /// The errno with which the tracer failed for this thread; 0 if it did not try or succeeded.
    int32_t trace_error;
    /// The slot was filled in without the stop signal, which is still pending.
    bool has_signal_pending;
} epitaph_thread_slot;

typedef struct epitaph_thread_slots {
    uint32_t count;
    /// Threads that have stopped; the capture waits on this word.
    uint32_t stopped_count;
    /// Whether the capture is waiting on that word and wants to be woken.
    uint32_t is_awaited;
    /// The round of stopping; 0 while threads may run. Stopped threads wait until it changes.
    uint32_t round;
    /// The number of the last round. Numbers are never reused, so that a thread that is slow to
    /// leave one round cannot take itself to be in the next.
    uint32_t last_round;
    bool has_more;
    /// Whether the last capture that stopped threads was a live dump.
    bool restarts_calls;
    /// The errno with which reading the thread list failed.
    int32_t error;
    epitaph_thread_slot entries[EPITAPH_THREAD_LIMIT];
    /// 0 or 1 + an index of `entries`, found by thread id.
    uint32_t hash[EPITAPH_THREAD_HASH_SIZE];
} epitaph_thread_slots;

void epitaph_thread_slots_begin(epitaph_thread_slots *slots);

/// Adds a slot for `tid`; NULL if there already is one or there is no room.
epitaph_thread_slot *epitaph_thread_slots_add(epitaph_thread_slots *slots, int32_t tid);

/// The slot of `tid`, or NULL.
epitaph_thread_slot *epitaph_thread_slots_find(epitaph_thread_slots *slots, int32_t tid);

/// Claims the right to fill in an empty slot; false if another thread was faster.
bool epitaph_thread_slot_claim(epitaph_thread_slot *slot);

/// Stores the slot's final answer and counts it.
void epitaph_thread_slot_settle(epitaph_thread_slots *slots, epitaph_thread_slot *slot,
                                epitaph_thread_answer answer);

/// Fills in the calling thread's slot with what only the thread itself can find out cheaply.
void epitaph_thread_slot_answer(epitaph_thread_slots *slots, epitaph_thread_slot *slot,
                                const ucontext_t *context);

/// Reads the scheduling policy, priority and nice value of `tid`, or of the calling thread if that
/// is 0, into `slot`; a policy of -1 means that the kernel does not report them.
void epitaph_thread_slot_describe_scheduling(epitaph_thread_slot *slot, int32_t tid);

/// Reads the scheduling facts and the name of the calling thread into `slot`.
void epitaph_thread_slot_describe_self(epitaph_thread_slot *slot);

// Stops all other threads with a signal, so that neither ptrace nor another process is needed.

/// Finds the threads of the process and sends each the stop signal; returns without waiting.
void epitaph_threads_stop(epitaph_capture *capture);

/// Waits until all have stopped or the time for it is over, looking for threads created meanwhile.
void epitaph_threads_wait(epitaph_capture *capture);

/// Lets the threads continue and restores the stop signal's previous action.
void epitaph_threads_release(epitaph_capture *capture);

/// For a thread that is already in a signal handler of ours: fills in its slot like the stop
/// signal's handler, with `context`, and waits until the capture is over. Returns true then, false
/// after `timeout_ns`.
bool epitaph_thread_wait_in_place(epitaph_capture *capture, const ucontext_t *context,
                                  uint64_t timeout_ns);

/// Asks every thread in the list that has no slot yet; returns how many were new.
uint32_t epitaph_threads_ask_listed(epitaph_capture *capture);

// What the kernel reports about a thread that does not stop, from /proc/self/task/TID.

/// Opens a file of /proc/self/task/TID, whose `name` begins with a slash, or a directory if `flags`
/// say so; a descriptor or a negative errno.
long epitaph_task_file_open(int32_t tid, const char *name, int flags);

/// Writes THREAD_NAME and THREAD_RUN_STATE as far as /proc shows them.
void epitaph_kernel_name_write(epitaph_capture *capture, int32_t tid);

enum { EPITAPH_CALL_ARGUMENT_COUNT = 6 };

/// Where a thread waits, as the kernel sees it.
typedef struct epitaph_kernel_wait {
    uint64_t stack_pointer;
    uint64_t instruction_pointer;
    /// The number of its system call; -1 outside of one.
    int64_t call;
    uint64_t arguments[EPITAPH_CALL_ARGUMENT_COUNT];
} epitaph_kernel_wait;

/// Writes the system call a waiting thread is in, its two pointers, and for futex(2) what it waits
/// for; for a running thread it returns false and writes nothing.
bool epitaph_kernel_wait_write(epitaph_capture *capture, int32_t tid, epitaph_kernel_wait *wait);

/// Whether it is futex(2), whose first argument is a lock's address.
bool epitaph_kernel_wait_is_for_lock(const epitaph_kernel_wait *wait);

/// Whether a signal with SA_RESTART can reach the thread without making a system call of it fail
/// with EINTR: it runs, or waits for a futex without a timeout. False if that is not known.
bool epitaph_thread_may_be_interrupted(int32_t tid);

/// Fills in the name and the scheduling facts of a slot whose thread cannot do it itself.
void epitaph_kernel_describe(epitaph_thread_slot *slot);

/// Whether the thread has ended, or is a zombie.
bool epitaph_thread_has_ended(epitaph_capture *capture, int32_t tid);

bool epitaph_thread_blocks_stop_signal(epitaph_capture *capture, int32_t tid);

// The system call that a stopped thread was in, read from the code around its instruction pointer.
// One file per architecture.

/// Whether the thread was stopped inside a system call, which the instruction at its instruction
/// pointer or the one before shows, and if so which; -1 if the number is no longer known.
bool epitaph_interrupted_call_number(const ucontext_t *context, int64_t *number);

/// Repeats a system call that a signal has just interrupted, if that can be known: x86_64 only, and
/// only for calls that the program does not expect a signal handler to interrupt.
void epitaph_interrupted_call_restart(ucontext_t *context);

// Which scope a thread is in.

typedef enum epitaph_scope_search {
    EPITAPH_SCOPE_NONE,
    EPITAPH_SCOPE_FOUND,
    /// It is in one for which there was no place.
    EPITAPH_SCOPE_HAS_NO_PLACE,
    /// It may be in one, and nothing proves which.
    EPITAPH_SCOPE_NOT_KNOWN,
} epitaph_scope_search;

/// The innermost scope of a thread that stands still, by its thread pointer, which may be 0, and
/// its id.
epitaph_scope_search epitaph_current_scope_find(uint64_t thread_pointer, int32_t tid,
                                                uint64_t *token);

// Which task or queue a thread works for.

/// Writes THREAD_TASK_NAME and THREAD_QUEUE_NAME of a thread that stands still, as far as it runs a
/// task or does a queue's work and that can be read. The thread pointer may be 0.
void epitaph_running_work_write(epitaph_writer *writer, uint64_t thread_pointer);

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

/// Starts the tracer for all threads that have not reacted; it fills in their slots. Returns
/// without waiting.
void epitaph_threads_trace(epitaph_capture *capture, uint64_t stop_deadline_ns);

/// Lets traced threads continue and ends the tracer. Harmless if there is none.
void epitaph_threads_untrace(epitaph_capture *capture);

// The tracer itself: a process that shares the memory of the one it traces.

/// What the tracer runs from beginning to end; `argument` is the `epitaph_tracer`. Runs in a
/// process of its own, on the stack in there. Returns its exit status.
int epitaph_tracer_run(void *argument);

#pragma GCC visibility pop

#endif
