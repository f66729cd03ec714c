// SPDX-License-Identifier: Apache-2.0
//
// What the Swift package needs of scopes, and C programs do not: where a task keeps its scope, its
// name, and a thread the label of its queue, is tried out before it is relied on. Not part of
// libepitaph.

#ifndef EPITAPH_SWIFT_TASKS_H
#define EPITAPH_SWIFT_TASKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// ANY-TIME. What lies beside the token of a scope where a task keeps it.
uint64_t epitaph_scope_check_word(uint64_t scope);

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
/// agree, dumps have the labels of the queues whose work threads do. Without libdispatch, and when
/// that is known already, it does nothing; of two threads that call it at once one tries.
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
