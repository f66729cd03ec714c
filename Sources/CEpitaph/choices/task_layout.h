// SPDX-License-Identifier: Apache-2.0
//
// The trials of epitaph_task_scopes.h, for a runtime in any module. QUIET-TIME.

#ifndef EPITAPH_CHOICES_TASK_LAYOUT_H
#define EPITAPH_CHOICES_TASK_LAYOUT_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// As epitaph_task_trial_begin, with `code` a function of the module whose thread-local memory has
/// the running task; NULL when there is no runtime.
void epitaph_task_trial_begin_in(uint64_t key, const void *code);

#pragma GCC visibility pop

#endif
