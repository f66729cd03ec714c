// SPDX-License-Identifier: Apache-2.0
//
// Trials that find where runtimes keep a thread's current task or queue. QUIET-TIME.

#ifndef EPITAPH_CHOICES_TRIALS_H
#define EPITAPH_CHOICES_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Candidate words in a module's thread-local memory.

enum { EPITAPH_RUNTIME_WORD_LIMIT = 1024 };

typedef struct epitaph_runtime_words {
    const void *code;
    const uint64_t *words;
    uint32_t word_count;
    bool is_out[EPITAPH_RUNTIME_WORD_LIMIT];
} epitaph_runtime_words;

/// Call while the thread does nothing for the runtime: the word is 0.
void epitaph_runtime_words_begin(epitaph_runtime_words *words, const void *code);
/// Call in the same thread while the word must be `value`.
void epitaph_runtime_words_see(epitaph_runtime_words *words, uint64_t value);
/// Call in the same thread when it is idle again. Returns true if exactly one word always had the
/// expected value; `*offset` is its distance from the thread pointer.
bool epitaph_runtime_words_end(epitaph_runtime_words *words, int64_t *offset);

// The trials of epitaph_swift_calls.h, for a runtime in any module.

/// `code` is a function of the module whose TLS has the current task; NULL without a runtime.
void epitaph_task_trial_begin_in(uint64_t key, const void *code);

// Trials for the names of Swift tasks. QUIET-TIME, one thread at a time.

/// Call at the start of a trial of task_layout.c.
void epitaph_task_name_trial_begin(void);
/// Call at its end, with a proved `task_word_offset`. Once two trials agree, task names are found.
void epitaph_task_name_trial_end(int64_t task_word_offset);

#pragma GCC visibility pop

#endif
