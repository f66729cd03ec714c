// SPDX-License-Identifier: Apache-2.0
//
// What sigaction(2) answers in a program with Epitaph, whatever name it is called by.

#ifndef EPITAPH_SIGNALS_INTERPOSED_ACTIONS_H
#define EPITAPH_SIGNALS_INTERPOSED_ACTIONS_H

#include <signal.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. The arguments and results of sigaction(2).
int epitaph_sigaction_answer(int signal, const struct sigaction *action, struct sigaction *old);

#pragma GCC visibility pop

#endif
