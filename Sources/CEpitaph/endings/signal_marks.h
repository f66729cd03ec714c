// SPDX-License-Identifier: Apache-2.0
//
// Signals whose deaths are marked in the armed file. QUIET-TIME; the state is locked.

#ifndef EPITAPH_ENDINGS_SIGNAL_MARKS_H
#define EPITAPH_ENDINGS_SIGNAL_MARKS_H

#pragma GCC visibility push(hidden)

/// Chooses those of `signals` (ended by 0, or NULL) that have the default action. The launch record
/// names them, so this comes before it is written.
void epitaph_signal_marks_choose(const int *signals);

/// Installs the handler for what was chosen.
void epitaph_signal_marks_install(void);

/// Puts the default action back where the handler is still ours.
void epitaph_signal_marks_uninstall(void);

#pragma GCC visibility pop

#endif
