// SPDX-License-Identifier: Apache-2.0
//
// Places of the registry with the memory of their alternate stacks, and how both come back when a
// thread ends: by the destructor of a pthread key, however the thread ends, or else when the kernel
// no longer knows the thread.

#ifndef EPITAPH_THREADS_THREAD_PLACES_H
#define EPITAPH_THREADS_THREAD_PLACES_H

#include "epitaph_thread_registry.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. A free place, with an alternate stack of `size` bytes, or with none for
/// 0; NULL when there is no room or no memory. May be one of a thread that has ended.
epitaph_thread_place *epitaph_thread_place_make(size_t size);

/// QUIET-TIME. Gives back a place that no thread has, with its stack.
void epitaph_thread_place_free(epitaph_thread_place *place);

/// QUIET-TIME. Gives back the calling thread's own place, if it has one, with its stack as soon as
/// nobody can be using it.
void epitaph_thread_place_leave(void);

/// ANY-TIME. Has the calling thread give `place` back when it ends. Calls nothing that allocates,
/// takes a lock or is bound by the loader now.
void epitaph_thread_place_watch(epitaph_thread_place *place);

/// QUIET-TIME. Must have been called before the first place is watched. Harmless to repeat.
void epitaph_thread_places_begin(void);

#pragma GCC visibility pop

#endif
