// SPDX-License-Identifier: Apache-2.0
//
// Where the stacks of threads are, how they are written, and the memory they point to. CRASH-TIME.

#ifndef EPITAPH_STACKS_STACKS_H
#define EPITAPH_STACKS_STACKS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

// The state of stacks: what is left of their budget, and which contexts of Swift tasks are already
// in the dump.

enum {
    EPITAPH_STACK_WORD_COUNT = 4096,
    EPITAPH_CHAIN_CUT_LIMIT = 8,
    EPITAPH_CONTEXT_TABLE_SIZE = 1 << 13,
    EPITAPH_CONTEXT_TABLE_LIMIT = EPITAPH_CONTEXT_TABLE_SIZE / 4 * 3,
};

/// The callers of Swift tasks, async_contexts.c: of the current thread, and of all threads so far.
typedef struct epitaph_async_chains {
    uint64_t bytes_left;
    uint32_t length;
    /// How many more words may be examined as possible contexts.
    uint32_t looks_left;
    /// Where incomplete chains end.
    uint32_t cut_count;
    uint64_t cuts[EPITAPH_CHAIN_CUT_LIMIT];
    /// The addresses of the contexts of all threads, as a hash table; 0 is free.
    uint32_t seen_count;
    uint64_t seen[EPITAPH_CONTEXT_TABLE_SIZE];
} epitaph_async_chains;

typedef struct epitaph_stacks {
    /// What is left for all stacks.
    uint64_t bytes_left;
    /// Words of the stack that is being examined.
    uint64_t words[EPITAPH_STACK_WORD_COUNT];
    epitaph_async_chains chains;
} epitaph_stacks;

// Where a thread's stack is, and how much of it is in memory.

enum {
    /// From a stack up to this size a long run of zeros is left out.
    EPITAPH_SMALL_STACK_SIZE = 8192,
};

/// A stack from the red zone below its stack pointer upwards.
typedef struct epitaph_stack_extent {
    epitaph_range range;
    /// Whether the stack ends where the range does; a mapping may contain other things above it.
    bool has_known_end;
} epitaph_stack_extent;

/// The whole stack that contains `stack_pointer`; empty if there is none. `thread_data_address` may
/// be 0.
epitaph_stack_extent epitaph_stack_extent_find(const epitaph_capture *capture,
                                               uint64_t stack_pointer,
                                               uint64_t thread_data_address);

/// The stack that contains `stack_pointer`, from the red zone up, at most `limit` bytes and what is
/// left of the budget of all stacks; empty if there is none. `thread_data_address` may be 0. It is
/// recorded in the table of mappings.
epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit);

/// The same for a thread that did not crash, with the limit for those. The budget cuts a small one
/// only when it is written.
epitaph_range epitaph_other_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                       uint64_t thread_data_address);

/// The first resident part of `stack`. The crashing thread's stack pointer may point anywhere;
/// other threads ran on theirs until they were stopped.
epitaph_range epitaph_stack_present_part(const epitaph_capture *capture, epitaph_range stack,
                                         uint64_t thread_data_address);

/// Counts `stack` as resident while its thread is written.
void epitaph_stack_trust(const epitaph_capture *capture, epitaph_range stack,
                         uint64_t thread_data_address);

// Writes stacks.

/// The thread of a stack and its pointers.
typedef struct epitaph_stack_owner {
    int32_t tid;
    uint64_t stack_pointer;
    /// May be 0.
    uint64_t thread_data_address;
} epitaph_stack_owner;

/// Writes the outermost part of a stack that is longer than `found`, which was limited to `limit`
/// bytes, as an entry of an open array of memory regions: a stack that overflowed is captured up to
/// where the thread began. What is in neither part is damage if the stack is known to continue.
void epitaph_stack_outermost_write(epitaph_capture *capture, const epitaph_stack_owner *owner,
                                   epitaph_range found, uint64_t limit);
/// Writes `stack`, found before, as an entry of an open array of memory regions.
void epitaph_stack_write_region(epitaph_capture *capture, epitaph_range stack);

/// Writes STACK_REGION_ADDRESS and STACK_REGION_DATA for `stack`, found before.
void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid);

/// The same for a thread that did not crash. From a small stack a long run of zeros is left out,
/// and what is above it is written as STACK_UPPER_ADDRESS and STACK_UPPER_DATA. `stack` is
/// shortened to the budget of all stacks.
void epitaph_other_stack_write(epitaph_capture *capture, epitaph_range *stack, uint64_t tid);

// The stack a thread was on before the signal in whose handler it crashed.

/// The stack pointer a thread had before the signal in whose handler, on an alternate stack,
/// `context` is; 0 if it is on no alternate stack, or the stack pointer is not found.
uint64_t epitaph_stack_find_interrupted(const ucontext_t *context);

// Memory of one thread that is worth capturing: what its registers and its stack point to.

/// Write that memory as entries of an open array of memory regions.
void epitaph_crashing_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                   epitaph_range stack);
void epitaph_other_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                epitaph_range stack);

/// The memory of a lock at `address`, for a thread with nothing else that is known to point to
/// memory.
void epitaph_lock_memory_write(epitaph_capture *capture, uint64_t address, epitaph_range stack);

// Who awaits a Swift task: each async function's context begins with {Parent, ResumeParent}, its
// caller's context and where the caller continues. The callers' frames are on no stack, so without
// these words a report of a task ends at the executor.

/// Forgets an earlier capture.
void epitaph_async_chains_forget(epitaph_capture *capture);
/// Begin and end a thread; the end writes ASYNC_CHAIN_CUTS.
void epitaph_async_chains_begin(epitaph_capture *capture);
void epitaph_async_chains_end(epitaph_capture *capture);

/// Requests the chain of contexts behind every one of `words` that looks like the address of one.
void epitaph_async_contexts_add(epitaph_capture *capture, const uint64_t *words, uint32_t count);

/// Reads the outermost words of `stack` into the workspace; returns how many, or 0 unless the
/// thread runs a task, which shows by return addresses of the concurrency runtime among them. The
/// running async function is there, too, however much stack the functions it calls use.
uint32_t epitaph_async_outer_words_read(epitaph_capture *capture, epitaph_range stack);

#pragma GCC visibility pop

#endif
