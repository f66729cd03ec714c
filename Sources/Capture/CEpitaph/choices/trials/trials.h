// SPDX-License-Identifier: Apache-2.0
//
// Where runtimes keep what a thread does, tried out. QUIET-TIME.

#ifndef EPITAPH_CHOICES_TRIALS_H
#define EPITAPH_CHOICES_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// In which word of its thread-local memory a runtime keeps what a thread does.

enum { EPITAPH_RUNTIME_WORD_LIMIT = 1024 };

/// The words of one thread's memory, and which of them it cannot be.
typedef struct epitaph_runtime_words {
    /// A function of the module whose memory it is; NULL when there is none.
    const void *code;
    const uint64_t *words;
    uint32_t word_count;
    bool is_out[EPITAPH_RUNTIME_WORD_LIMIT];
} epitaph_runtime_words;

/// In a thread that does nothing for the runtime: the word is 0.
void epitaph_runtime_words_begin(epitaph_runtime_words *words, const void *code);
/// In the same thread, while the word must be `value`.
void epitaph_runtime_words_see(epitaph_runtime_words *words, uint64_t value);
/// In the same thread, which does nothing again. True when exactly one word always was what it had
/// to be; `*offset` is from the thread pointer to it.
bool epitaph_runtime_words_end(epitaph_runtime_words *words, int64_t *offset);

// The trials of epitaph_task_scopes.h, for a runtime in any module.

/// As epitaph_task_trial_begin, with `code` a function of the module whose thread-local memory has
/// the running task; NULL when there is no runtime.
void epitaph_task_trial_begin_in(uint64_t key, const void *code);

// Where the Swift runtime keeps the name of a task, tried out. QUIET-TIME, in one thread at a time.

/// A trial of task_layout.c begins.
void epitaph_task_name_trial_begin(void);
/// It ends; `task_word_offset` is proved. After two trials that agree the name of a task is found.
void epitaph_task_name_trial_end(int64_t task_word_offset);

#pragma GCC visibility pop

#endif
