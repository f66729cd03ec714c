// SPDX-License-Identifier: Apache-2.0
//
// Stops the other threads, and describes those that do not stop. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREADS_H
#define EPITAPH_THREADS_THREADS_H

#include "capture/capture.h"
#include "epitaph_thread_registry.h"

#pragma GCC visibility push(hidden)

// One slot per thread. The capture asks the thread to stop, and its signal handler fills the slot
// in. One thread adds slots while any thread may look up its own.

enum {
    EPITAPH_THREAD_HASH_SIZE = 2 * EPITAPH_THREAD_LIMIT,
    EPITAPH_THREAD_NAME_SIZE = 16,
};

typedef enum epitaph_thread_answer {
    EPITAPH_THREAD_ASKED,
    EPITAPH_THREAD_STOPPED,
    /// The thread ended, perhaps with the signal still pending.
    EPITAPH_THREAD_GONE,
    EPITAPH_THREAD_ANSWERING,
    /// Not asked, because that would interrupt its system call.
    EPITAPH_THREAD_LEFT_RUNNING,
} epitaph_thread_answer;

/// What the kernel counts of a thread's work.
typedef struct epitaph_thread_work {
    /// It runs, and nobody traces it.
    bool is_running;
    /// How often it waited in a system call.
    uint64_t waits;
    uint64_t user_ticks;
    uint64_t system_ticks;
} epitaph_thread_work;

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
    /// The tracer's errno for this thread; 0 if it did not try or succeeded.
    int32_t trace_error;
    /// The signal that the thread was sent; 0 if it was sent none.
    int32_t signal;
    /// Why the thread cannot answer the signal, an `epitaph_dump_why`; 0 if it may. Then only the
    /// tracer's answer is waited for.
    uint32_t cannot_answer;
    bool is_traced;
    /// In the registry of threads: made by our pthread_create(3), or told to us.
    bool is_registered;
    /// The thread's alternate stack as far as we know; 0 bytes for none.
    uint64_t alternate_start;
    uint64_t alternate_bytes;
    /// How often the thread was seen to run and to block its signal.
    uint32_t blocked_looks;
    /// In a live dump, at the first look at a thread that cannot be sent its signal.
    epitaph_thread_work first_work;
    bool only_computes;
    /// Not sent anything yet, and to be looked at again.
    bool is_deferred;
    /// The slot was filled in without the signal, which is still pending.
    bool has_signal_pending;
} epitaph_thread_slot;

typedef struct epitaph_thread_slots {
    uint32_t count;
    /// Threads settled so far; the capture waits on this word.
    uint32_t stopped_count;
    uint32_t is_awaited;
    /// The current round; 0 while threads may run. Stopped threads wait until it changes.
    uint32_t round;
    /// Not reused, so that a thread slow to leave one round does not take itself to be in the next.
    uint32_t last_round;
    bool has_more;
    /// A thread is younger than the capture's copy of the map.
    bool needs_new_map;
    /// Whether the second stop signal may be sent.
    bool has_second_signal;
    /// The last capture that stopped threads was a live dump.
    bool restarts_calls;
    /// Errno of reading the thread list.
    int32_t error;
    epitaph_thread_slot entries[EPITAPH_THREAD_LIMIT];
    /// 0, or 1 + an index of `entries`, by thread id.
    uint32_t hash[EPITAPH_THREAD_HASH_SIZE];
} epitaph_thread_slots;

void epitaph_thread_slots_begin(epitaph_thread_slots *slots);

/// Adds a slot for `tid`; NULL if it exists or there is no room.
epitaph_thread_slot *epitaph_thread_slots_add(epitaph_thread_slots *slots, int32_t tid);

epitaph_thread_slot *epitaph_thread_slots_find(epitaph_thread_slots *slots, int32_t tid);

/// Claims the right to fill in a slot; false if another thread was faster.
bool epitaph_thread_slot_claim(epitaph_thread_slot *slot);

void epitaph_thread_slot_settle(epitaph_thread_slots *slots, epitaph_thread_slot *slot,
                                epitaph_thread_answer answer);

/// Whether the slot may still be filled in: by its thread, or by the tracer.
bool epitaph_thread_slot_is_awaited(const epitaph_thread_slot *slot);

/// Fills in the calling thread's slot with facts that only the thread gets cheaply.
void epitaph_thread_slot_answer(epitaph_thread_slots *slots, epitaph_thread_slot *slot,
                                const ucontext_t *context);

/// Reads the scheduling of `tid`, 0: the calling thread. Policy -1: not known.
void epitaph_thread_slot_describe_scheduling(epitaph_thread_slot *slot, int32_t tid);

void epitaph_thread_slot_describe_self(epitaph_thread_slot *slot);

// Stops all other threads with a signal, without ptrace or another process.

/// Sends every thread of the process the stop signal, without waiting.
void epitaph_threads_stop(epitaph_capture *capture);

/// Waits until all have stopped or time is up, and looks for new threads meanwhile.
void epitaph_threads_wait(epitaph_capture *capture);

void epitaph_threads_release(epitaph_capture *capture);

/// For a thread already in a handler of ours: fills in its slot with `context`, like the stop
/// signal's handler, and waits for the end of the capture. Returns false after `timeout_ns`.
bool epitaph_thread_wait_in_place(epitaph_capture *capture, const ucontext_t *context,
                                  uint64_t timeout_ns);

// Whether the signal that stops a thread fits where it would land.

typedef enum epitaph_thread_room {
    EPITAPH_ROOM_IS_ENOUGH,
    EPITAPH_ROOM_IS_UNPROVEN,
    /// The map of the address space is not read yet.
    EPITAPH_ROOM_IS_NOT_KNOWN_YET,
} epitaph_thread_room;

epitaph_thread_room epitaph_thread_room_judge(const epitaph_capture *capture,
                                              const epitaph_thread_slot *slot);

/// Sends the thread of a new or a deferred slot its signal, if that can do no harm; otherwise the
/// slot is deferred, or cannot be answered.
void epitaph_thread_ask(epitaph_capture *capture, epitaph_thread_slot *slot);

/// Asks every thread without a slot; returns the number of new ones.
uint32_t epitaph_threads_ask_new(epitaph_capture *capture);

// Facts about a thread that does not stop, from /proc/self/task/TID.

/// Opens `name`, with a leading slash, of /proc/self/task/TID: a descriptor or a negative errno.
long epitaph_task_file_open(int32_t tid, const char *name, int flags);

/// Writes THREAD_NAME and THREAD_RUN_STATE as far as /proc shows them.
void epitaph_kernel_name_write(epitaph_capture *capture, int32_t tid);

enum { EPITAPH_CALL_ARGUMENT_COUNT = 6 };

typedef struct epitaph_kernel_wait {
    uint64_t stack_pointer;
    uint64_t instruction_pointer;
    /// System call number; -1 outside of one.
    int64_t call;
    uint64_t arguments[EPITAPH_CALL_ARGUMENT_COUNT];
} epitaph_kernel_wait;

/// Writes a waiting thread's system call, its two pointers, and what a futex(2) waits for. For a
/// running thread returns false and writes nothing.
bool epitaph_kernel_wait_write(epitaph_capture *capture, int32_t tid, epitaph_kernel_wait *wait);

/// Whether it is futex(2), whose first argument is a lock's address.
bool epitaph_kernel_wait_is_for_lock(const epitaph_kernel_wait *wait);

/// The stack pointer of a thread that waits; false if it runs or that cannot be read.
bool epitaph_kernel_stack_pointer_read(int32_t tid, uint64_t *stack_pointer);

/// Whether a signal with SA_RESTART would not make a system call fail with EINTR: the thread runs,
/// or waits for a futex without a timeout. False if unknown.
bool epitaph_thread_may_be_interrupted(int32_t tid);

/// Fills in name and scheduling for a thread that cannot do it itself.
void epitaph_kernel_describe(epitaph_thread_slot *slot);

/// What the kernel reports about a thread in its status.
typedef struct epitaph_kernel_status {
    /// It has ended, or is a zombie.
    bool has_ended;
    /// It waits in the kernel for an event. What cannot be read counts as running.
    bool is_asleep;
    /// The signals that it blocks; in sigwait(3) those that it waits for are not among them.
    uint64_t blocked;
} epitaph_kernel_status;

epitaph_kernel_status epitaph_kernel_status_read(epitaph_capture *capture, int32_t tid);

epitaph_thread_work epitaph_thread_work_read(epitaph_capture *capture, int32_t tid);

/// Whether the thread did nothing but compute between two looks: it waited for nothing, and used no
/// time in the kernel.
bool epitaph_thread_only_computed(const epitaph_thread_work *before,
                                  const epitaph_thread_work *after);

/// Whether the thread blocks the signal and may do so for a moment only: it runs, and was not seen
/// so too often. Counts this look.
bool epitaph_thread_blocks_briefly(epitaph_thread_slot *slot, const epitaph_kernel_status *status,
                                   int32_t signal);

// The system call of a stopped thread, by the code at its instruction pointer, per architecture.

/// Whether the thread was stopped inside a system call, by the instruction at or before its
/// instruction pointer. The number is -1 if it is lost.
bool epitaph_interrupted_call_number(const ucontext_t *context, int64_t *number);

/// Repeats a system call that our signal interrupted, on x86_64; not pause(2) and sigsuspend(2).
void epitaph_interrupted_call_restart(ucontext_t *context);

typedef enum epitaph_scope_search {
    EPITAPH_SCOPE_NONE,
    EPITAPH_SCOPE_FOUND,
    /// In a scope that got no place.
    EPITAPH_SCOPE_HAS_NO_PLACE,
    /// Perhaps in a scope; nothing proves which.
    EPITAPH_SCOPE_NOT_KNOWN,
} epitaph_scope_search;

/// The innermost scope of a stopped thread. `thread_pointer` may be 0.
epitaph_scope_search epitaph_current_scope_find(uint64_t thread_pointer, int32_t tid,
                                                uint64_t *token);

/// Writes THREAD_TASK_NAME and THREAD_QUEUE_NAME of a stopped thread. `thread_pointer` may be 0.
void epitaph_running_work_write(epitaph_writer *writer, uint64_t thread_pointer);

// State of the tracer, thread_tracer.c, in memory shared with the capture.

enum { EPITAPH_TRACED_LIMIT = 256, EPITAPH_TRACER_STACK_SIZE = 16384 };

typedef enum epitaph_trace_state {
    EPITAPH_TRACE_FAILED,
    /// Seized and interrupted (PTRACE_INTERRUPT), not stopped yet.
    EPITAPH_TRACE_STOPPING,
    EPITAPH_TRACE_STOPPED,
} epitaph_trace_state;

typedef struct epitaph_traced_thread {
    epitaph_thread_slot *slot;
    epitaph_trace_state state;
    /// The signal it was about to receive; delivered when it continues.
    int pending_signal;
    /// Facts from /proc, besides the registers.
    epitaph_thread_slot description;
    epitaph_traced_registers registers;
} epitaph_traced_thread;

/// Set by the capture; the tracer waits on it.
typedef enum epitaph_tracer_phase {
    /// Started, perhaps without permission to trace yet.
    EPITAPH_TRACER_PREPARING,
    EPITAPH_TRACER_ALLOWED,
    EPITAPH_TRACER_RELEASED,
} epitaph_tracer_phase;

typedef struct epitaph_tracer {
    /// 0: none.
    int32_t pid;
    int32_t parent_pid;
    uint32_t phase;
    /// Yama was told that it may trace.
    bool is_permitted;
    /// When threads must have stopped, CLOCK_MONOTONIC.
    uint64_t stop_deadline_ns;
    epitaph_thread_slots *slots;
    uint32_t count;
    epitaph_traced_thread threads[EPITAPH_TRACED_LIMIT];
    _Alignas(16) uint8_t stack[EPITAPH_TRACER_STACK_SIZE];
} epitaph_tracer;

// Stops threads that do not receive the stop signal with ptrace(2). A process cannot trace its own
// threads, so a second process that shares our memory does it: the tracer.

/// Whether a tracer changes nothing but the threads it stops, or is wanted all the same
/// (`traces_threads`).
bool epitaph_threads_may_be_traced(const epitaph_capture *capture);

/// In a live dump only a thread that computes: the stop would cut short what a call has begun to
/// write.
bool epitaph_thread_is_to_be_traced(const epitaph_capture *capture,
                                    const epitaph_thread_slot *slot);

/// Starts the tracer for all threads that are to be traced, without waiting.
void epitaph_threads_trace(epitaph_capture *capture, uint64_t stop_deadline_ns);

/// Lets traced threads continue and ends the tracer. Harmless without one.
void epitaph_threads_untrace(epitaph_capture *capture);

/// Body of the tracer process; `argument` is the `epitaph_tracer`, which has its stack.
int epitaph_tracer_run(void *argument);

#pragma GCC visibility pop

#endif
