// SPDX-License-Identifier: Apache-2.0
//
// Finding and writing threads' stacks and the memory they point to. CRASH-TIME.

#ifndef EPITAPH_STACKS_STACKS_H
#define EPITAPH_STACKS_STACKS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

// State: stack budget, and Swift task contexts already in the dump.

enum {
    EPITAPH_STACK_WORD_COUNT = 4096,
    EPITAPH_CHAIN_CUT_LIMIT = 8,
    EPITAPH_CONTEXT_TABLE_SIZE = 1 << 13,
    EPITAPH_CONTEXT_TABLE_LIMIT = EPITAPH_CONTEXT_TABLE_SIZE / 4 * 3,
};

/// Callers of Swift tasks, async_contexts.c: of the current thread, and of all threads so far.
typedef struct epitaph_async_chains {
    uint64_t bytes_left;
    uint32_t length;
    /// Words that may still be examined as possible contexts.
    uint32_t looks_left;
    uint32_t cut_count;
    uint64_t cuts[EPITAPH_CHAIN_CUT_LIMIT];
    /// Context addresses of all threads, as a hash table; 0 is free.
    uint32_t seen_count;
    uint64_t seen[EPITAPH_CONTEXT_TABLE_SIZE];
} epitaph_async_chains;

typedef struct epitaph_stacks {
    uint64_t bytes_left;
    epitaph_async_chains chains;
    uint64_t words[EPITAPH_STACK_WORD_COUNT];
} epitaph_stacks;

enum {
    /// Up to this size a long run of zeros is left out.
    EPITAPH_SMALL_STACK_SIZE = 8192,
};

typedef struct epitaph_stack_extent {
    epitaph_range range;
    /// The stack ends with the range; otherwise its mapping may contain other things above.
    bool has_known_end;
} epitaph_stack_extent;

/// The whole stack containing `stack_pointer`; empty if none. `thread_data_address` may be 0.
epitaph_stack_extent epitaph_stack_extent_find(const epitaph_capture *capture,
                                               uint64_t stack_pointer,
                                               uint64_t thread_data_address);

/// The same, clipped to `limit` and the budget of all stacks, and recorded in the mappings.
epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit);

/// The same for a thread that did not crash. The budget cuts a small stack only when it is written.
epitaph_range epitaph_other_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                       uint64_t thread_data_address);

/// First resident part of `stack`. The crashing thread's stack pointer may point anywhere; other
/// threads ran on theirs until they were stopped.
epitaph_range epitaph_stack_present_part(const epitaph_capture *capture, epitaph_range stack,
                                         uint64_t thread_data_address);

void epitaph_stack_trust(const epitaph_capture *capture, epitaph_range stack,
                         uint64_t thread_data_address);

typedef struct epitaph_stack_owner {
    int32_t tid;
    uint64_t stack_pointer;
    uint64_t thread_data_address;
} epitaph_stack_owner;

/// Writes, as an entry of an open array of memory regions, the outermost part of a stack longer
/// than `found`, which was cut to `limit`: an overflowed stack is captured up to where the thread
/// began. Bytes in neither part are damage if the stack is known to continue.
void epitaph_stack_outermost_write(epitaph_capture *capture, const epitaph_stack_owner *owner,
                                   epitaph_range found, uint64_t limit);
void epitaph_stack_write_region(epitaph_capture *capture, epitaph_range stack);

void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid);

/// For a thread that did not crash: shortens `stack` to the budget, leaves a long run of zeros out
/// of a small one, and writes STACK_UPPER_ADDRESS and STACK_UPPER_DATA above it.
void epitaph_other_stack_write(epitaph_capture *capture, epitaph_range *stack, uint64_t tid);

/// The stack pointer before the signal in whose handler, on an alternate stack, `context` is; 0 if
/// it is on no alternate stack or nothing is found.
uint64_t epitaph_stack_find_interrupted(const ucontext_t *context);

/// Write what registers and stack point to, as entries of an open array of memory regions.
void epitaph_crashing_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                   epitaph_range stack);
void epitaph_other_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                epitaph_range stack);

/// The memory of a lock at `address`, for a thread that nothing else is known of.
void epitaph_lock_memory_write(epitaph_capture *capture, uint64_t address, epitaph_range stack);

// Callers of a Swift task: an async function's context begins with {Parent, ResumeParent}, its
// caller's context and where the caller continues. These callers have no frames on any stack, so
// without these words the report of a task ends at the executor.

void epitaph_async_chains_forget(epitaph_capture *capture);
/// Begin and end a thread; the end writes ASYNC_CHAIN_CUTS.
void epitaph_async_chains_begin(epitaph_capture *capture);
void epitaph_async_chains_end(epitaph_capture *capture);

/// Requests the context chains behind all `words` that look like context addresses.
void epitaph_async_contexts_add(epitaph_capture *capture, const uint64_t *words, uint32_t count);

/// Reads the outermost words of `stack` into the workspace and returns their number; 0 unless
/// return addresses of the concurrency runtime among them show that the thread runs a task. The
/// running async function is there, however much stack its callees use.
uint32_t epitaph_async_outer_words_read(epitaph_capture *capture, epitaph_range stack);

#pragma GCC visibility pop

#endif
