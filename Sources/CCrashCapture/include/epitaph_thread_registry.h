// SPDX-License-Identifier: Apache-2.0
//
// The threads that registered themselves: for processes without /proc, and for the alternate stacks
// we gave. A new thread enters itself before the program's function runs, when any thread may hold
// any lock of libc. So a place is taken by the thread that makes it, and all that is left for the
// new one are a few direct system calls. Lock-free. Internal to the package.

#ifndef EPITAPH_THREAD_REGISTRY_H
#define EPITAPH_THREAD_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Calls `visit` with `capture` and each registered thread id. CRASH-TIME.
void epitaph_thread_registry_visit(void *capture, void (*visit)(void *capture, int32_t tid));

enum {
    /// The most threads that are known of.
    EPITAPH_THREAD_LIMIT = 16384,
};

typedef struct epitaph_thread_place {
    /// Process id in the upper half, thread id in the lower; 0 for a free place. While a place is
    /// promised to a thread that does not run yet the thread id is 0. What a forked child finds of
    /// its parent's threads is nothing of its own.
    uint64_t thread;
    /// The alternate stack that goes with the place; NULL for none. A free place may
    /// keep one for the next thread.
    void *stack;
} epitaph_thread_place;

/// ANY-TIME. Whether the list is this process's, or no process's yet: not in one that clone(2) made
/// with its parent's memory.
bool epitaph_thread_registry_is_ours(void);

/// ANY-TIME. A place for a thread that is to be made, NULL when all are taken or this process
/// shares the memory of another one whose threads are in the list.
epitaph_thread_place *epitaph_thread_place_take(void);

/// ANY-TIME. The place of a thread that has ended without giving it back, taken; NULL when the few
/// that were looked at are those of living threads. Each call looks at others.
epitaph_thread_place *epitaph_thread_place_take_dead(void);

/// ANY-TIME. The calling thread enters itself in a place that was taken for it. Unless it has an
/// alternate stack, for example one of a sanitizer, the place's becomes it.
void epitaph_thread_place_occupy(epitaph_thread_place *place, size_t stack_size);

/// ANY-TIME. A place of the calling thread, NULL when it has none.
epitaph_thread_place *epitaph_thread_place_find(void);

/// ANY-TIME. Whether the place is the calling thread's.
bool epitaph_thread_place_is_mine(const epitaph_thread_place *place);

/// ANY-TIME. Whether a thread of this process has a place with a stack.
bool epitaph_thread_place_has_stack(int32_t tid);

/// ANY-TIME. Frees a place.
void epitaph_thread_place_give_back(epitaph_thread_place *place);

#pragma GCC visibility pop

#endif
