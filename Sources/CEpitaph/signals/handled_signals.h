// SPDX-License-Identifier: Apache-2.0
//
// Our handlers for the signals that the program chose. QUIET-TIME.

#ifndef EPITAPH_SIGNALS_HANDLED_SIGNALS_H
#define EPITAPH_SIGNALS_HANDLED_SIGNALS_H

#include "epitaph.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Installs the handlers of `signals`, ended by 0.
epitaph_status epitaph_signals_install(const int *signals, epitaph_swift_backtracer backtracer,
                                       epitaph_error *error);

void epitaph_signals_uninstall(void);

/// Bit n - 1 is set if signal n is handled but has another handler than ours.
uint64_t epitaph_signals_displaced(void);

#pragma GCC visibility pop

#endif
