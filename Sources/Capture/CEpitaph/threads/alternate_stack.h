// SPDX-License-Identifier: Apache-2.0
//
// Threads and their alternate signal stacks: those that exist, and those that are made from now on.

#ifndef EPITAPH_THREADS_ALTERNATE_STACK_H
#define EPITAPH_THREADS_ALTERNATE_STACK_H

#include "epitaph_thread_registry.h"

#pragma GCC visibility push(hidden)

// Threads and their alternate signal stacks: those that exist, and those that are made from now on.

/// QUIET-TIME. Gives the calling thread an alternate stack with guard pages, unless it has one that
/// is as large. It is freed with the thread. Returns 0, or -1 if there is no memory or the thread
/// is running on its alternate stack.
int epitaph_alternate_stack_install(void);

/// ANY-TIME. Threads share an alternate stack, so that they are stopped on their own from now on.
void epitaph_alternate_stack_note_shared(void);

/// The size of the alternate stacks that we provide, in bytes.
size_t epitaph_alternate_stack_size(void);

/// QUIET-TIME. Registers the calling thread for the capture until it ends, so that it is found even
/// without /proc. Harmless to repeat.
void epitaph_thread_register(void);

// Alternate stacks for threads that exist when Epitaph starts.

/// Offers every other thread of the process an alternate stack, once in the process's life. Waits a
/// limited time for them to take it.
void epitaph_existing_threads_prepare(void);

/// Frees one such stack if its thread has ended. Cheap; called from time to time.
void epitaph_existing_threads_collect(void);

// Our pthread_create(3): which threads it affects.

/// QUIET-TIME. Threads made from now on get alternate stacks; with false they no longer do, and
/// pthread_create(3) does what it does without us. Existing threads are left as they are.
///
/// This call is also what makes the linker take our pthread_create(3) from a static library.
void epitaph_threads_watch(bool watches);

// Entries of the registry with the memory of their alternate stacks. Both are released when a
// thread ends: by the destructor of a pthread key, however the thread ends, or otherwise when the
// kernel no longer knows the thread.

/// QUIET-TIME. A free entry with an alternate stack of `size` bytes, or without one if that is 0;
/// NULL if there is no room or no memory. It may have belonged to a thread that has ended.
epitaph_thread_place *epitaph_thread_place_make(size_t size);

/// QUIET-TIME. Releases an entry that belongs to no thread, and its stack.
void epitaph_thread_place_free(epitaph_thread_place *place);

/// QUIET-TIME. Releases the calling thread's own entry, if it has one, and its stack as soon as
/// nothing can be using it.
void epitaph_thread_place_leave(void);

/// ANY-TIME. Makes the calling thread release `place` when it ends. Calls nothing that allocates,
/// takes a lock or is bound by the loader now.
void epitaph_thread_place_watch(epitaph_thread_place *place);

/// QUIET-TIME. Must be called before the first entry is watched. Harmless to repeat.
void epitaph_thread_places_begin(void);

#pragma GCC visibility pop

#endif
