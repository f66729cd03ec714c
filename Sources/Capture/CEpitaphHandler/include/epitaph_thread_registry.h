// SPDX-License-Identifier: Apache-2.0
//
// The threads that registered themselves, for processes without /proc and for the alternate stacks
// we provided. A new thread registers before the program's function runs, when any thread may hold
// any lock of libc. So the creating thread reserves an entry, and the new thread only needs a few
// direct system calls. Lock-free. Internal to the package.

#ifndef EPITAPH_THREAD_REGISTRY_H
#define EPITAPH_THREAD_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Calls `visit` with `capture` and each registered thread id. CRASH-TIME.
void epitaph_thread_registry_visit(void *capture, void (*visit)(void *capture, int32_t tid));

enum {
    /// The most threads that can be registered.
    EPITAPH_THREAD_LIMIT = 16384,
};

typedef struct epitaph_thread_place {
    /// Process id in the upper half, thread id in the lower; 0 for a free entry. While an entry is
    /// reserved for a thread that does not run yet, the thread id is 0. Entries of its parent's
    /// threads mean nothing in a forked child.
    uint64_t thread;
    /// The alternate stack that belongs to the entry; NULL for none. A free entry may keep one for
    /// the next thread.
    void *stack;
} epitaph_thread_place;

/// ANY-TIME. Whether the list belongs to this process, or to none yet: not in a process that
/// clone(2) made with its parent's memory.
bool epitaph_thread_registry_is_ours(void);

/// ANY-TIME. Reserves an entry for a thread about to be made; NULL if all are in use or this
/// process shares the memory of another one whose threads are in the list.
epitaph_thread_place *epitaph_thread_place_take(void);

/// ANY-TIME. Takes the entry of a thread that has ended without releasing it; NULL if the few that
/// were checked belong to living threads. Each call checks others.
epitaph_thread_place *epitaph_thread_place_take_dead(void);

/// ANY-TIME. The calling thread fills in an entry that was reserved for it. Unless it has an
/// alternate stack, for example one of a sanitizer, it gets that of the entry.
void epitaph_thread_place_occupy(epitaph_thread_place *place, size_t stack_size);

/// ANY-TIME. An entry of the calling thread; NULL if it has none.
epitaph_thread_place *epitaph_thread_place_find(void);

/// ANY-TIME. Whether the entry belongs to the calling thread.
bool epitaph_thread_place_is_mine(const epitaph_thread_place *place);

/// ANY-TIME. Whether a thread of this process has an entry with a stack.
bool epitaph_thread_place_has_stack(int32_t tid);

/// ANY-TIME. Releases an entry.
void epitaph_thread_place_give_back(epitaph_thread_place *place);

#pragma GCC visibility pop

#endif
