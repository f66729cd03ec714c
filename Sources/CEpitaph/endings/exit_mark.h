// SPDX-License-Identifier: Apache-2.0
//
// The mark of a process that ended well. QUIET-TIME.

#ifndef EPITAPH_ENDINGS_EXIT_MARK_H
#define EPITAPH_ENDINGS_EXIT_MARK_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Starts or stops marking the armed file when the process calls exit(3) or quick_exit(3).
void epitaph_exit_watch(bool watches);

/// Marks the armed file: the process ended well. In `displaced_signals`, bit n - 1 is set if signal
/// n no longer had our handler.
void epitaph_end_mark(uint64_t displaced_signals);

/// Remembers the displaced signals of the last check, for an end by exit(3).
void epitaph_end_note_displaced(uint64_t displaced_signals);

#pragma GCC visibility pop

#endif
