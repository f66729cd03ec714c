// SPDX-License-Identifier: Apache-2.0
//
// The sigaction(2) of libc, whatever has that name in the program: this library defines it as well.

#ifndef EPITAPH_SIGNALS_REAL_SIGACTION_H
#define EPITAPH_SIGNALS_REAL_SIGACTION_H

#include <signal.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME once a constructor has run. The arguments and results of sigaction(2).
int epitaph_real_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

#pragma GCC visibility pop

#endif
