// SPDX-License-Identifier: Apache-2.0
//
// Our handlers for the signals that the program chose, and sigaction(2) as it is and as we answer
// it.

#ifndef EPITAPH_SIGNALS_SIGNALS_H
#define EPITAPH_SIGNALS_SIGNALS_H

#include "epitaph.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

// Our handlers for the signals that the program chose. QUIET-TIME.

/// Installs the handlers of `options->signals`, and makes the program's actions for them virtual if
/// the options say so.
epitaph_status epitaph_signals_install(const epitaph_options *options, epitaph_error *error);

void epitaph_signals_uninstall(void);

/// Bit n - 1 is set if signal n is handled but has another handler than ours.
uint64_t epitaph_signals_displaced(void);

// The sigaction(2) of libc, whatever has that name in the program: this library defines it as well.

/// ANY-TIME once a constructor has run. The arguments and results of sigaction(2).
int epitaph_real_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

// What sigaction(2) answers in a program with Epitaph, whatever name it is called by.

/// ANY-TIME. The arguments and results of sigaction(2).
int epitaph_sigaction_answer(int signal, const struct sigaction *action, struct sigaction *old);

#pragma GCC visibility pop

#endif
