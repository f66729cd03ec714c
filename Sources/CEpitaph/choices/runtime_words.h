// SPDX-License-Identifier: Apache-2.0
//
// Which word of a thread says what task it runs. QUIET-TIME, in one thread at a time.

#ifndef EPITAPH_CHOICES_RUNTIME_WORDS_H
#define EPITAPH_CHOICES_RUNTIME_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// In a thread that runs no task.
void epitaph_runtime_words_begin(void);
/// The same thread, while it runs `task`.
void epitaph_runtime_words_see(uint64_t task);
/// The same thread, which runs none again. True when exactly one word of the runtime's own
/// thread-local memory was the task whenever there was one, and zero whenever there was none;
/// `*offset` is from the thread pointer to it.
bool epitaph_runtime_words_end(int64_t *offset);

#pragma GCC visibility pop

#endif
