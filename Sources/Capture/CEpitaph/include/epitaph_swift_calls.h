// SPDX-License-Identifier: Apache-2.0
//
// For the Swift package and the preloaded library, not for C programs: options by table row, and
// runtime layout trials. Not installed.

#ifndef EPITAPH_SWIFT_CALLS_H
#define EPITAPH_SWIFT_CALLS_H

#include "epitaph.h"
#include "epitaph_option_rows.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Fields of epitaph_options and epitaph_limits by row. QUIET-TIME.

/// Reads or stores a number without checking its bounds; a FLAG is 1 or 0. Returns false and
/// changes nothing if the row is not numeric.
bool epitaph_option_get(const epitaph_options *options, const epitaph_option_row *row,
                        uint64_t *value);
bool epitaph_option_set(epitaph_options *options, const epitaph_option_row *row, uint64_t value);

/// Stores the address of a text or terminated list. False if the row is numeric or has no field.
bool epitaph_option_set_address(epitaph_options *options, const epitaph_option_row *row,
                                const void *address);

/// The same for limits; false for a row outside EPITAPH_LIMITS.
bool epitaph_limit_get(const epitaph_limits *limits, const epitaph_option_row *row,
                       uint64_t *value);
bool epitaph_limit_set(epitaph_limits *limits, const epitaph_option_row *row, uint64_t value);

#pragma GCC visibility pop

// Trials that find where a task keeps its scope and name, and a thread its queue's label, before
// these layouts are relied on. Not part of libepitaph.

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// ANY-TIME. The check word stored next to a scope's token in a task.
uint64_t epitaph_scope_check_word(uint64_t scope);

/// Situations in which a trial looks at a task.
typedef enum epitaph_task_view {
    /// Exactly one value is set.
    EPITAPH_TASK_VIEW_VALUE = 1,
    /// A second value is set.
    EPITAPH_TASK_VIEW_SECOND_VALUE = 2,
    /// In the body of a task group, with a value set there.
    EPITAPH_TASK_VIEW_GROUP_VALUE = 3,
    /// In a child, which sets no value, of the task with one value.
    EPITAPH_TASK_VIEW_CHILD = 4,
    /// No value is set any more.
    EPITAPH_TASK_VIEW_EMPTY = 5,
} epitaph_task_view;

/// QUIET-TIME. The Swift package runs two trials, each a task in a thread of its own. run calls
/// `body` in such a thread, waits for it and returns 0 or an errno. begin, outside the task, takes
/// the address of the task-local variable. see, in the task, takes the task's address and the token
/// of its latest scope, 0 for none. end, outside the task, returns nonzero if the observations are
/// consistent. Once two trials agree, crashes find the scopes of tasks. All calls of one trial come
/// from one thread, and only one trial runs at a time.
int epitaph_task_trial_run(void (*body)(void *context), void *context);
void epitaph_task_trial_begin(uint64_t key);
void epitaph_task_trial_see(epitaph_task_view view, uint64_t task, uint64_t token);
int epitaph_task_trial_end(void);

/// QUIET-TIME. For task names, in the same trials: the first in the task with its name; the second
/// after something else, such as a cancellation handler, was added to the task.
void epitaph_task_trial_see_name(uint64_t task, const char *name);
void epitaph_task_trial_see_record_before_name(uint64_t task);
/// QUIET-TIME. The same for dispatch queues, on a thread that runs no queue. Once two trials agree,
/// dumps have queue labels. Does nothing without libdispatch, when already known, or while another
/// thread is in it.
void epitaph_queue_trial(void);

/// QUIET-TIME. Nonzero if trials proved the layout of task scopes and nothing has contradicted it.
int epitaph_task_scopes_are_proved(void);
/// QUIET-TIME. Checks in `task` that a crash would find `token`; if not, crashes stop looking.
void epitaph_task_scope_check(uint64_t task, uint64_t token);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
