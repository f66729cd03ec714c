// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_THREADS_ALTERNATE_STACK_H
#define EPITAPH_THREADS_ALTERNATE_STACK_H

#include "epitaph_thread_registry.h"

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Gives the calling thread an alternate stack with a guard page, unless it has one as
/// large. Freed with the thread. Returns -1 without memory, or on the thread's own alternate stack.
int epitaph_alternate_stack_install(void);

/// ANY-TIME. sigaltstack(2) itself, past ours in front of it, which shows the program's stacks.
int epitaph_real_sigaltstack(const stack_t *stack, stack_t *old);

/// Finds out whether a runtime takes our stacks for its own. Cheap if no module was loaded since.
void epitaph_adopted_stacks_look(void);

/// Size of our alternate stacks, bytes.
size_t epitaph_alternate_stack_size(void);

/// QUIET-TIME. Registers the calling thread, to be found even without /proc. Idempotent.
void epitaph_thread_register(void);

/// Offers each thread an alternate stack once, and waits a limited time for them to accept.
void epitaph_existing_threads_prepare(void);

/// Frees one such stack if its thread has ended. Cheap; called now and then.
void epitaph_existing_threads_collect(void);

/// QUIET-TIME. Whether threads created from now on get alternate stacks; existing ones are
/// unaffected. This call also makes the linker take our pthread_create(3) from a static library.
void epitaph_threads_watch(bool watches);

// Registry entries and their alternate stacks. Released when the thread ends, by a pthread key's
// destructor, or later when the kernel no longer knows the thread.

/// QUIET-TIME. Returns a free entry, possibly of a dead thread, with an alternate stack of `size`
/// bytes, none if 0. NULL without room or memory.
epitaph_thread_place *epitaph_thread_place_make(size_t size);

/// QUIET-TIME. Releases an entry that belongs to no thread, and its stack.
void epitaph_thread_place_free(epitaph_thread_place *place);

/// QUIET-TIME. Releases the calling thread's entry, if any, and its stack once nothing can use it.
void epitaph_thread_place_leave(void);

/// ANY-TIME. Releases `place` when the calling thread ends. No allocation, lock or lazy binding.
void epitaph_thread_place_watch(epitaph_thread_place *place);

// Where the calling thread's stack ends, for copies of it. Known of threads that our
// pthread_create(3) began after epitaph_threads_measure, and of those that noted it themselves.

/// QUIET-TIME. New threads note their stacks.
void epitaph_threads_measure(void);

/// ANY-TIME. The calling thread's stack has at most `bytes` below `end`.
void epitaph_own_stack_note(uint64_t end, uint64_t bytes, int32_t tid);

/// ANY-TIME. Its end if the stack pointer is in it, otherwise 0.
uint64_t epitaph_own_stack_end(uint64_t stack_pointer);

/// ANY-TIME. The calling thread's id, 0 if it was not noted.
int32_t epitaph_own_tid(void);

/// ANY-TIME. In a forked child.
void epitaph_own_tid_change(int32_t tid);

/// QUIET-TIME. Call before watching the first entry. Idempotent.
void epitaph_thread_places_begin(void);

#pragma GCC visibility pop

#endif
