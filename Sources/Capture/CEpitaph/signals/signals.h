// SPDX-License-Identifier: Apache-2.0
//
// Our handlers for the chosen signals, and the real and virtual sigaction(2).

#ifndef EPITAPH_SIGNALS_SIGNALS_H
#define EPITAPH_SIGNALS_SIGNALS_H

#include "epitaph.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

// Our handlers. QUIET-TIME.

epitaph_status epitaph_signals_install(const epitaph_options *options, epitaph_error *error);

void epitaph_signals_uninstall(void);

/// ANY-TIME. The program is about to install a filter.
void epitaph_signals_prepare_for_filter(void);

/// Bit n - 1 is set if signal n is handled but no longer has our handler.
uint64_t epitaph_signals_displaced(void);

// Signals whose deaths are marked (`marked_signals`). QUIET-TIME; the caller holds the state lock.

/// Chooses signals with the default action. Call before writing the launch record that lists them.
void epitaph_signal_marks_choose(const int *signals);

void epitaph_signal_marks_install(void);

void epitaph_signal_marks_uninstall(void);

/// libc's sigaction(2); this library defines the name as well. ANY-TIME once a constructor has run.
int epitaph_real_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/// sigaction(2) as the program sees it. ANY-TIME.
int epitaph_sigaction_answer(int signal, const struct sigaction *action, struct sigaction *old);

#pragma GCC visibility pop

#endif
