// SPDX-License-Identifier: Apache-2.0
//
// Scopes: attributes and breadcrumbs that belong to one piece of work, such as a request, and not
// to the whole process. C programs give them to threads; the Swift package also to tasks. Comes
// with epitaph.h.

#ifndef EPITAPH_TASK_SCOPES_H
#define EPITAPH_TASK_SCOPES_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct epitaph_breadcrumb_content;

/// QUIET-TIME. Begins a scope of the calling thread with the given attributes; NULL for none. What
/// this thread crashes of until epitaph_thread_scope_end has them in its report, and those of the
/// scopes around it; an inner attribute counts more than an outer one of the same name, and that
/// more than one of the process. Scopes of other threads have nothing to do with it. Each begin
/// needs an end.
///
/// A scope has room for 1,720 bytes of attributes: 4 for each, its name, and its text or 8 for a
/// number. What finds no room is left out, which the report says. 4,096 scopes may exist at once;
/// of work that is in a further one the report says that its scope is missing.
///
/// Returns EPITAPH_OK, or EPITAPH_NO_ROOM; the end is needed then, too.
epitaph_status epitaph_thread_scope_begin(const epitaph_named_attribute *attributes, size_t count);

/// QUIET-TIME. Ends the innermost scope of the calling thread; does nothing when there is none.
void epitaph_thread_scope_end(void);

/// ANY-TIME. The innermost scope of the calling thread, for the functions that take a scope; 0 for
/// none.
uint64_t epitaph_thread_scope(void);

/// QUIET-TIME. Sets an attribute of a scope, or replaces it. Any thread may. Returns EPITAPH_OK;
/// EPITAPH_INVALID_OPTION for a name that is empty or longer than 255 bytes, a NULL, an unknown
/// type, or a scope that is none or has ended; EPITAPH_NO_ROOM when it does not fit: it is counted
/// as left out, and an earlier value of that name stays.
epitaph_status epitaph_scope_attribute_set(uint64_t scope,
                                           const epitaph_named_attribute *attribute);

/// ANY-TIME. Adds a breadcrumb to the latest eight of a scope and to those of the process. With no
/// scope, or one that has ended, to those of the process alone.
void epitaph_scope_breadcrumb_add(uint64_t scope, const struct epitaph_breadcrumb_content *content);

/// QUIET-TIME. What the Swift package makes of these: a scope that belongs to no thread yet, and
/// the thread's word itself. `parent` is 0 or a scope that exists longer than this one. The result
/// is never 0: where there is no room it stands for a scope without a place, which all functions
/// take.
uint64_t epitaph_scope_make(uint64_t parent, const epitaph_named_attribute *attributes,
                            size_t count);
/// ANY-TIME. What lies beside the token of a scope where a task keeps it.
uint64_t epitaph_scope_check_word(uint64_t scope);
/// QUIET-TIME. Ends it: nothing finds it any more.
void epitaph_scope_free(uint64_t scope);
/// QUIET-TIME. Makes a scope, or with 0 none, the calling thread's own and returns what was it.
uint64_t epitaph_thread_scope_replace(uint64_t scope);

/// What is seen of a task while it is tried out where the Swift runtime keeps things.
typedef enum epitaph_task_view {
    /// In a task of which one value alone was set.
    EPITAPH_TASK_VIEW_VALUE = 1,
    /// The same with a second value.
    EPITAPH_TASK_VIEW_SECOND_VALUE = 2,
    /// In the body of a task group, with a value set there.
    EPITAPH_TASK_VIEW_GROUP_VALUE = 3,
    /// In a child of the task that has one value, and that sets none.
    EPITAPH_TASK_VIEW_CHILD = 4,
    /// In the task when no value is set any more.
    EPITAPH_TASK_VIEW_EMPTY = 5,
} epitaph_task_view;

/// QUIET-TIME. For the Swift package, which runs a task of its own in a thread of its own, twice:
/// run calls `body` in such a thread and returns after it, 0 or an errno where there can be no
/// thread; begin, outside of the task, with the address of the task-local variable; see, in the
/// task, with the address of the task and the token of the scope that is its latest value, 0 for
/// none; end, outside of the task, returns nonzero when all that was seen fits together. After two
/// such trials that agree, a crash finds the scopes of tasks. All calls of one trial come from one
/// thread, and no two trials run at once.
int epitaph_task_trial_run(void (*body)(void *context), void *context);
void epitaph_task_trial_begin(uint64_t key);
void epitaph_task_trial_see(epitaph_task_view view, uint64_t task, uint64_t token);
int epitaph_task_trial_end(void);

/// QUIET-TIME. In the same trials, for the names of tasks: the first in the task, whose name it is
/// given; the second in it when something else, such as a cancellation handler, was added to it.
void epitaph_task_trial_see_name(uint64_t task, const char *name);
void epitaph_task_trial_see_record_before_name(uint64_t task);
/// QUIET-TIME. The same for dispatch queues, in a thread that does no queue's work. After two that
/// agree, dumps have the labels of the queues whose work threads do. Without libdispatch it does
/// nothing.
void epitaph_queue_trial(void);

/// QUIET-TIME. Whether the trials have proved where the scope of a task is, and nothing has spoken
/// against it since.
int epitaph_task_scopes_are_proved(void);
/// QUIET-TIME. Checks in the task `task`, whose latest scope is `token`, that a crash here would
/// find it; once one would not, no crash looks any more.
void epitaph_task_scope_check(uint64_t task, uint64_t token);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
