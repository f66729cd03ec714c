// SPDX-License-Identifier: Apache-2.0
//
// Our handlers, installed for the signals the program chooses. QUIET-TIME.

#ifndef EPITAPH_SIGNALS_HANDLED_SIGNALS_H
#define EPITAPH_SIGNALS_HANDLED_SIGNALS_H

#include "epitaph.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Installs the handlers of `signals`, ended by 0.
epitaph_status epitaph_signals_install(const int *signals, epitaph_swift_backtracer backtracer,
                                       epitaph_error *error);

void epitaph_signals_uninstall(void);

/// Takes or gives up one signal; the state is locked. A negative errno or 1; 0 for a signal that is
/// ignored and stays so.
long epitaph_signal_take(int signal);

void epitaph_signal_give_up(int signal);

/// Installs our handler for `signal`; 0 or a positive errno.
int epitaph_signal_install(int signal);

/// Bit n - 1: signal n is handled, but has another handler than ours.
uint64_t epitaph_signals_displaced(void);

#pragma GCC visibility pop

#endif
