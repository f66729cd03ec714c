// SPDX-License-Identifier: Apache-2.0
//
// Registered threads, for processes without /proc and for our alternate stacks. A new thread
// registers before its function runs, when any thread may hold any libc lock. So its creator
// reserves an entry, and the new thread makes only a few direct calls. Lock-free, internal.

#ifndef EPITAPH_THREAD_REGISTRY_H
#define EPITAPH_THREAD_REGISTRY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_THREAD_LIMIT = 16384,
};

typedef struct epitaph_thread_place {
    /// Process id in the upper half, thread id in the lower, 0 until the thread runs; both 0: free.
    /// In a forked child the parent's entries are meaningless.
    uint64_t thread;
    /// The entry's alternate stack; NULL: none. A free entry may keep one for the next thread.
    void *stack;
    /// What the program had set in its place, which was smaller; 0 bytes for none.
    uint64_t program_start;
    uint64_t program_bytes;
    /// The alternate stack that the thread has set, ours or another; 0 bytes for none.
    uint64_t alternate_start;
    uint64_t alternate_bytes;
} epitaph_thread_place;

/// CRASH-TIME. Calls `visit` with `capture` and each registered thread.
void epitaph_thread_registry_visit(void *capture, void (*visit)(void *capture, int32_t tid,
                                                                const epitaph_thread_place *place));

/// ANY-TIME. True once in each process, for the first caller: what the list has of its parent's
/// threads means nothing, so the thread that was forked has to register again.
bool epitaph_thread_registry_is_new(void);

/// ANY-TIME. Whether the list is ours or nobody's yet. False if clone(2) shared the owner's memory.
bool epitaph_thread_registry_is_ours(void);

/// ANY-TIME. Reserves an entry for a new thread; NULL if all are in use, or if this process shares
/// the memory of another one whose threads are registered.
epitaph_thread_place *epitaph_thread_place_take(void);

/// ANY-TIME. Takes the entry of a thread that ended without releasing it. Each call checks a few
/// other entries; NULL if all of those threads are alive.
epitaph_thread_place *epitaph_thread_place_take_dead(void);

/// ANY-TIME. The calling thread fills in its reserved entry. It gets the entry's alternate stack
/// unless it has one already, for example a sanitizer's.
void epitaph_thread_place_occupy(epitaph_thread_place *place, size_t stack_size);

/// ANY-TIME. The program has set an alternate stack for the calling thread, or none, 0 bytes: then
/// the thread gets ours again, of `own_size` bytes.
void epitaph_thread_place_note_stack(uint64_t start, uint64_t bytes, size_t own_size);

/// ANY-TIME. Whether the alternate stack at `start`, of the calling thread, is one of ours; in a
/// forked child also if its parent's entry had it. `programs` is then the one without us.
bool epitaph_thread_stack_find(const void *start, stack_t *programs);

/// ANY-TIME. Whether it is one of ours where the program has set none, and its handlers run as if
/// there were none.
bool epitaph_thread_stack_is_hidden(const void *start);

epitaph_thread_place *epitaph_thread_place_find(void);

bool epitaph_thread_place_is_mine(const epitaph_thread_place *place);

/// ANY-TIME. Whether the thread of this process has an entry with a stack.
bool epitaph_thread_place_has_stack(int32_t tid);

void epitaph_thread_place_give_back(epitaph_thread_place *place);

#pragma GCC visibility pop

#endif
