// SPDX-License-Identifier: Apache-2.0
//
// Where the Swift runtime keeps the name of a task, tried out. QUIET-TIME, in one thread at a time.

#ifndef EPITAPH_CHOICES_TASK_NAMES_H
#define EPITAPH_CHOICES_TASK_NAMES_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A trial of task_layout.c begins.
void epitaph_task_name_trial_begin(void);
/// It ends; `task_word_offset` is proved. After two trials that agree the name of a task is found.
void epitaph_task_name_trial_end(int64_t task_word_offset);

#pragma GCC visibility pop

#endif
