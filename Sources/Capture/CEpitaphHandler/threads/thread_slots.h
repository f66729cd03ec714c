// SPDX-License-Identifier: Apache-2.0
//
// One slot for each thread: the capture asks the thread to stop, and the thread fills the slot in
// inside its signal handler. CRASH-TIME. One thread adds slots; any thread may look for its own at
// the same time.

#ifndef EPITAPH_THREADS_THREAD_SLOTS_H
#define EPITAPH_THREADS_THREAD_SLOTS_H

#include "epitaph_thread_registry.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
