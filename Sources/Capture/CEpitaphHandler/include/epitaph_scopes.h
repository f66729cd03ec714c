// SPDX-License-Identifier: Apache-2.0
//
// Scopes of tasks and threads, and the runtimes' names for the work of threads. Internal to the
// package: C programs use epitaph_attributes.h.

#ifndef EPITAPH_SCOPES_H
#define EPITAPH_SCOPES_H

#include "epitaph_breadcrumb_storage.h"

#pragma GCC visibility push(hidden)

// One task's or thread's attributes and breadcrumbs, in a place no concurrent work overwrites.

enum {
    /// The limit at any time, and the number of places allocated at once.
    EPITAPH_SCOPE_LIMIT = 4096,
    EPITAPH_SCOPE_BLOCK_SIZE = 64,
    EPITAPH_SCOPE_BLOCK_COUNT = EPITAPH_SCOPE_LIMIT / EPITAPH_SCOPE_BLOCK_SIZE,
    EPITAPH_SCOPE_ATTRIBUTES_SIZE = 1720,
    EPITAPH_SCOPE_BREADCRUMB_LIMIT = 8,
    EPITAPH_SCOPE_RING_SIZE = 64 + EPITAPH_SCOPE_BREADCRUMB_LIMIT * 576,
    /// A dump has the innermost scope.
    EPITAPH_SCOPE_DEPTH_LIMIT = 16,
    /// A token's bits for the place, counted from 1. The other bits are unique to each scope.
    EPITAPH_SCOPE_PLACE_BITS = 16,
    EPITAPH_SCOPE_PLACE_MASK = 0xffff,
};

/// In place of a token: no place was left for this scope.
#define EPITAPH_SCOPE_WITHOUT_PLACE UINT64_C(0xffff)
/// A token's check value is the token xor this; it is stored next to the token.
#define EPITAPH_SCOPE_CHECK UINT64_C(0x45706974617068ff)

typedef struct epitaph_scope_attributes {
    uint32_t record_bytes;
    uint32_t left_out_count;
    uint8_t records[EPITAPH_SCOPE_ATTRIBUTES_SIZE];
} epitaph_scope_attributes;

/// Two pages. The second is first touched by the second breadcrumb.
typedef struct epitaph_scope {
    /// 0 while the place is free. Read and written atomically.
    uint64_t token;
    /// The enclosing scope, which exists at least as long as this one; 0: none.
    uint64_t parent;
    /// Lowest bit: the current copy of the attributes. The others count changes.
    uint32_t current;
    /// The thread, for a thread's scope; 0 for a task's.
    int32_t tid;
    uint64_t unused[5];
    epitaph_scope_attributes attributes[2];
    _Alignas(64) uint8_t ring[EPITAPH_SCOPE_RING_SIZE];
} epitaph_scope;

/// Swift's storage of task-local values, as probed: docs/decisions/finding-the-task.md.
typedef struct epitaph_task_layout {
    /// From the thread pointer to the word with the current task.
    int64_t task_word_offset;
    /// From the task to the word with its latest value.
    uint64_t head_offset;
    /// From a value to its token; the token's check follows.
    uint64_t token_offset;
    /// The variable and its type: second and third word of a value.
    uint64_t key;
    uint64_t value_type;
    /// Low bits of a value's first word, whose other bits point to the next value: for a value, for
    /// one set in the body of a task group, and for the marker where the parent's values begin.
    uint64_t value_tag;
    uint64_t group_tag;
    uint64_t parent_tag;
} epitaph_task_layout;

enum {
    EPITAPH_TASK_TAG_MASK = 7,
};

typedef struct epitaph_scope_table {
    /// Nonzero once a scope was made. Read and written atomically, like the other flags.
    uint32_t is_used;
    /// Nonzero if `layout` is proven, and if it was found wrong since.
    uint32_t has_layout;
    uint32_t layout_is_wrong;
    /// From the thread pointer to the token of the thread's scope.
    uint32_t has_thread_word;
    int64_t thread_word_offset;
    epitaph_scope *blocks[EPITAPH_SCOPE_BLOCK_COUNT];
    epitaph_task_layout layout;
} epitaph_scope_table;

extern epitaph_scope_table epitaph_scopes_now;

epitaph_scope *epitaph_scope_find(uint64_t token);

/// ANY-TIME. Copies the attributes atomically: another thread of the scope may be changing them.
/// False if the place has another scope by then.
bool epitaph_scope_attributes_copy(const epitaph_scope *scope, uint64_t token,
                                   epitaph_scope_attributes *copy);

static inline epitaph_breadcrumb_ring *epitaph_scope_ring(epitaph_scope *scope) {
    return (epitaph_breadcrumb_ring *)(void *)scope->ring;
}

// How the runtimes name the work of threads, likewise proven by probing.

typedef struct epitaph_task_name_layout {
    /// From the thread pointer to the word with the current task.
    int64_t task_word_offset;
    /// From the task to the word with its latest record.
    uint64_t record_offset;
    /// From a record to the word with the previous one; from a name to the word with the text.
    uint64_t next_offset;
    uint64_t text_offset;
    /// The lowest byte of a record that is a name.
    uint64_t name_kind;
} epitaph_task_name_layout;

typedef struct epitaph_queue_layout {
    /// From the thread pointer to the word with the current queue.
    int64_t queue_word_offset;
    /// From the queue to the word with its label.
    uint64_t label_offset;
} epitaph_queue_layout;

typedef struct epitaph_work_layout {
    /// Nonzero if the layouts below are proven. Read and written atomically.
    uint32_t has_task_names;
    uint32_t has_queues;
    epitaph_task_name_layout task_name;
    epitaph_queue_layout queue;
} epitaph_work_layout;

extern epitaph_work_layout epitaph_work_layout_now;

#pragma GCC visibility pop

#endif
