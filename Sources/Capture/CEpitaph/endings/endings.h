// SPDX-License-Identifier: Apache-2.0
//
// How this process ends: marks of an end, last words of C++ exceptions, crashes on purpose.
// QUIET-TIME.

#ifndef EPITAPH_ENDINGS_ENDINGS_H
#define EPITAPH_ENDINGS_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The mark of a process that ended well.

/// Starts or stops marking the armed file when the process calls exit(3) or quick_exit(3).
void epitaph_exit_watch(bool watches);

/// Marks the armed file: the process ended well. In `displaced_signals`, bit n - 1 is set if signal
/// n no longer had our handler.
void epitaph_end_mark(uint64_t displaced_signals);

/// Remembers the displaced signals of the last check, for an end by exit(3).
void epitaph_end_note_displaced(uint64_t displaced_signals);

// Signals whose deaths are marked in the armed file. QUIET-TIME; the state is locked.

/// Chooses those of `signals` (ended by 0, or NULL) that have the default action. The launch record
/// names them, so this comes before it is written.
void epitaph_signal_marks_choose(const int *signals);

/// Installs the handler for what was chosen.
void epitaph_signal_marks_install(void);

/// Puts the default action back where the handler is still ours.
void epitaph_signal_marks_uninstall(void);

// The message of a C++ exception that is not caught.

/// Makes uncaught C++ exceptions leave their type and what() for the handler. Does nothing in
/// programs without a C++ runtime.
void epitaph_terminate_handler_install(void);

/// Puts the previous terminate handler back if ours is the current one.
void epitaph_terminate_handler_uninstall(void);

/// Whether the program may be made to crash on purpose; set again by every start.
void epitaph_test_crash_allow(bool is_allowed);

#pragma GCC visibility pop

#endif
