// SPDX-License-Identifier: Apache-2.0
//
// Entries of the registry with the memory of their alternate stacks. Both are released when a
// thread ends: by the destructor of a pthread key, however the thread ends, or otherwise when the
// kernel no longer knows the thread.

#ifndef EPITAPH_THREADS_THREAD_PLACES_H
#define EPITAPH_THREADS_THREAD_PLACES_H

#include "epitaph_thread_registry.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

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
