// SPDX-License-Identifier: Apache-2.0
//
// Names of signals and their codes, as in signal(7) and sigaction(2). ANY-TIME.

#ifndef EPITAPH_SIGNALS_SIGNAL_WORDS_H
#define EPITAPH_SIGNALS_SIGNAL_WORDS_H

#pragma GCC visibility push(hidden)

/// NULL for a signal that has no name here.
const char *epitaph_signal_name(int signal);
const char *epitaph_signal_code_name(int signal, int code);

#pragma GCC visibility pop

#endif
