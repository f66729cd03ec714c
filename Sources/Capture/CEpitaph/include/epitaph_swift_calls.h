// SPDX-License-Identifier: Apache-2.0
//
// What the Swift package and the preloaded library call and C programs do not: options by their
// rows in the table, and trials of where a task keeps its things. Not installed.

#ifndef EPITAPH_SWIFT_CALLS_H
#define EPITAPH_SWIFT_CALLS_H

#include "epitaph.h"
#include "epitaph_option_rows.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The fields of epitaph_options and epitaph_limits by their rows. QUIET-TIME.

/// Reads a number, or stores one, whatever its bounds are: of a FLAG 1 for yes and 0 for no. False,
/// and nothing is changed, for a row whose field is no number.
bool epitaph_option_get(const epitaph_options *options, const epitaph_option_row *row,
                        uint64_t *value);
bool epitaph_option_set(epitaph_options *options, const epitaph_option_row *row, uint64_t value);

/// Stores a text, or a list that ends with NULL or 0, of which only the address is kept. False for
/// a row whose field is a number, or that has none.
bool epitaph_option_set_address(epitaph_options *options, const epitaph_option_row *row,
                                const void *address);

/// The same for limits; false for a row that is not of EPITAPH_LIMITS.
bool epitaph_limit_get(const epitaph_limits *limits, const epitaph_option_row *row,
                       uint64_t *value);
bool epitaph_limit_set(epitaph_limits *limits, const epitaph_option_row *row, uint64_t value);

#pragma GCC visibility pop

// Trials of where a task keeps its scope and its name, and a thread the label of its queue: tried
// out before they are relied on. Not part of libepitaph.

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// ANY-TIME. What lies beside the token of a scope where a task keeps it.
uint64_t epitaph_scope_check_word(uint64_t scope);

/// What is seen of a task while it is tried out where the Swift runtime keeps things.
typedef enum epitaph_task_view {
    /// In a task with exactly one value set.
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
