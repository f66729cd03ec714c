// SPDX-License-Identifier: Apache-2.0
//
// In which word of its thread-local memory a runtime keeps what a thread does. QUIET-TIME.

#ifndef EPITAPH_CHOICES_RUNTIME_WORDS_H
#define EPITAPH_CHOICES_RUNTIME_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
