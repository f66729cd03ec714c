// SPDX-License-Identifier: Apache-2.0
//
// Texts as values of settings, in the forms of docs/configuration.md.

#ifndef EPITAPH_PRELOAD_SETTING_VALUES_H
#define EPITAPH_PRELOAD_SETTING_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Each returns false, and leaves the rest alone, for a text that is no such value.

/// yes, true, on or 1; no, false, off or 0.
bool epitaph_preload_flag(const char *text, bool *flag);

/// A whole number.
bool epitaph_preload_number(const char *text, uint64_t *number);

/// A number of bytes, or with KiB, MiB or GiB behind it.
bool epitaph_preload_size(const char *text, uint64_t *bytes);

/// Writes a size as messages have it: "1 MiB".
void epitaph_preload_size_text(uint64_t bytes, char *text, size_t size);

/// Names of signals with blanks or commas between them; `signals` gets them with a 0 behind the
/// last, at most `limit` with it.
bool epitaph_preload_signals(const char *text, int *signals, size_t limit);

/// The next word of `*text`, between blanks and commas, and its length; NULL at the end.
const char *epitaph_preload_word(const char **text, size_t *length);

#pragma GCC visibility pop

#endif
