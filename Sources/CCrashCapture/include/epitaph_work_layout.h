// SPDX-License-Identifier: Apache-2.0
//
// How the runtimes of this process name the work of their threads, as far as that was tried out and
// found so: docs/decisions/finding-the-task.md. Internal to the package.

#ifndef EPITAPH_WORK_LAYOUT_H
#define EPITAPH_WORK_LAYOUT_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The records of a task's status, of which one may be its name.
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
