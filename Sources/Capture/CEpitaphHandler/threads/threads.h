// SPDX-License-Identifier: Apache-2.0
//
// The other threads: stopped, and described where they do not stop. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREADS_H
#define EPITAPH_THREADS_THREADS_H

#include "capture/capture.h"
#include "file/writer.h"
#include "threads/thread_slots.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

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

// Whose work a thread does.

/// Writes THREAD_TASK_NAME and THREAD_QUEUE_NAME of a thread that stands still, as far as it runs a
/// task or does a queue's work and that can be read. The thread pointer may be 0.
void epitaph_running_work_write(epitaph_writer *writer, uint64_t thread_pointer);

#pragma GCC visibility pop

#endif
