// SPDX-License-Identifier: Apache-2.0
//
// Scopes of tasks and threads, and how the runtimes of this process name the work of their threads.
// Internal to the package.

#ifndef EPITAPH_SCOPES_H
#define EPITAPH_SCOPES_H

#include "epitaph_breadcrumb_storage.h"

#pragma GCC visibility push(hidden)

// Attributes and breadcrumbs of one task or one thread. Each scope lies in a place of its own, so
// that what runs at the same time overwrites nothing. Internal to the package: C programs use
// epitaph_attributes.h.

enum {
    /// The most that exist at once, and how many places are made at a time.
    EPITAPH_SCOPE_LIMIT = 4096,
    EPITAPH_SCOPE_BLOCK_SIZE = 64,
    EPITAPH_SCOPE_BLOCK_COUNT = EPITAPH_SCOPE_LIMIT / EPITAPH_SCOPE_BLOCK_SIZE,
    EPITAPH_SCOPE_ATTRIBUTES_SIZE = 1720,
    EPITAPH_SCOPE_BREADCRUMB_LIMIT = 8,
    EPITAPH_SCOPE_RING_SIZE = 64 + EPITAPH_SCOPE_BREADCRUMB_LIMIT * 576,
    /// Nested scopes; a dump has the innermost of them.
    EPITAPH_SCOPE_DEPTH_LIMIT = 16,
    /// The bits of a token that say where the scope is, counted from 1; the others are different
    /// for each scope that was ever there.
    EPITAPH_SCOPE_PLACE_BITS = 16,
    EPITAPH_SCOPE_PLACE_MASK = 0xffff,
};

/// In the place of a token: there was no place left for this scope.
#define EPITAPH_SCOPE_WITHOUT_PLACE UINT64_C(0xffff)
/// What a token is combined with by exclusive or, for its copy beside it.
#define EPITAPH_SCOPE_CHECK UINT64_C(0x45706974617068ff)

typedef struct epitaph_scope_attributes {
    /// Attribute records, epitaph_notes.h
    uint32_t record_bytes;
    uint32_t left_out_count;
    uint8_t records[EPITAPH_SCOPE_ATTRIBUTES_SIZE];
} epitaph_scope_attributes;

/// Two pages; the second is touched when there is more than one breadcrumb.
typedef struct epitaph_scope {
    /// 0 while the place is free. Read and written atomically.
    uint64_t token;
    /// The scope around this one; 0 for none. It exists as long as this one does.
    uint64_t parent;
    /// The lowest bit says which copy of the attributes counts, the others count the changes.
    uint32_t current;
    /// Of a scope that belongs to a thread; 0 for a task's.
    int32_t tid;
    uint64_t unused[5];
    epitaph_scope_attributes attributes[2];
    /// An epitaph_breadcrumb_ring.
    _Alignas(64) uint8_t ring[EPITAPH_SCOPE_RING_SIZE];
} epitaph_scope;

/// How the Swift runtime of this process keeps the values of its tasks, as far as that was tried
/// out and found so: docs/decisions/finding-the-task.md.
typedef struct epitaph_task_layout {
    /// From the thread pointer to the word that says which task the thread runs.
    int64_t task_word_offset;
    /// From the task to the word that says where its latest value is.
    uint64_t head_offset;
    /// From a value to its token, which the token's check follows.
    uint64_t token_offset;
    /// Which variable a value is of, and its type: the second and the third word of a value.
    uint64_t key;
    uint64_t value_type;
    /// The lowest bits of the first word, whose other bits say where the next value is: of a value,
    /// of one that was set in the body of a task group, and of what stands where the values of the
    /// parent begin.
    uint64_t value_tag;
    uint64_t group_tag;
    uint64_t parent_tag;
} epitaph_task_layout;

enum {
    EPITAPH_TASK_TAG_MASK = 7,
};

/// What we know about scopes in this process.
typedef struct epitaph_scope_table {
    /// Nonzero once a scope was made. Each is read and written atomically.
    uint32_t is_used;
    /// Nonzero when `layout` is proved; and when it was found wrong since.
    uint32_t has_layout;
    uint32_t layout_is_wrong;
    /// From the thread pointer to the token of the thread's scope.
    uint32_t has_thread_word;
    int64_t thread_word_offset;
    epitaph_scope *blocks[EPITAPH_SCOPE_BLOCK_COUNT];
    epitaph_task_layout layout;
} epitaph_scope_table;

extern epitaph_scope_table epitaph_scopes_now;

/// ANY-TIME. The scope of a token; NULL if there is no such scope, or no longer.
epitaph_scope *epitaph_scope_find(uint64_t token);

/// ANY-TIME. Copies the attributes as they are at one moment: another thread of the same scope may
/// change them meanwhile. False if the scope is another one by then.
bool epitaph_scope_attributes_copy(const epitaph_scope *scope, uint64_t token,
                                   epitaph_scope_attributes *copy);

static inline epitaph_breadcrumb_ring *epitaph_scope_ring(epitaph_scope *scope) {
    return (epitaph_breadcrumb_ring *)(void *)scope->ring;
}

// How the runtimes of this process name the work of their threads, as far as that was tried out and
// found so: docs/decisions/finding-the-task.md.

/// The records of a task's status; one of them may be its name.
typedef struct epitaph_task_name_layout {
    /// From the thread pointer to the word that says which task the thread runs.
    int64_t task_word_offset;
    /// From the task to the word that leads to its latest record.
    uint64_t record_offset;
    /// From a record to the word that leads to the one before it, and from that of a name to the
    /// word that leads to the text.
    uint64_t next_offset;
    uint64_t text_offset;
    /// The lowest byte of a record that is a name.
    uint64_t name_kind;
} epitaph_task_name_layout;

typedef struct epitaph_queue_layout {
    /// From the thread pointer to the word that says whose work the thread does.
    int64_t queue_word_offset;
    /// From the queue to the word that leads to its label.
    uint64_t label_offset;
} epitaph_queue_layout;

typedef struct epitaph_work_layout {
    /// Nonzero when what follows is proved. Each is read and written atomically.
    uint32_t has_task_names;
    uint32_t has_queues;
    epitaph_task_name_layout task_name;
    epitaph_queue_layout queue;
} epitaph_work_layout;

extern epitaph_work_layout epitaph_work_layout_now;

#pragma GCC visibility pop

#endif
