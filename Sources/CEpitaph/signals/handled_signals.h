// SPDX-License-Identifier: Apache-2.0
//
// Our handlers for the signals that the program chose. QUIET-TIME.

#ifndef EPITAPH_SIGNALS_HANDLED_SIGNALS_H
#define EPITAPH_SIGNALS_HANDLED_SIGNALS_H

#include "epitaph.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Installs the handlers of `options->signals`, and makes the program's actions for them virtual if
/// the options say so.
epitaph_status epitaph_signals_install(const epitaph_options *options, epitaph_error *error);

void epitaph_signals_uninstall(void);

/// Bit n - 1 is set if signal n is handled but has another handler than ours.
uint64_t epitaph_signals_displaced(void);

#pragma GCC visibility pop

#endif
