// SPDX-License-Identifier: Apache-2.0
//
// The options of epitaph_start, checked, and reasons not to start. QUIET-TIME.

#ifndef EPITAPH_OPTIONS_OPTIONS_H
#define EPITAPH_OPTIONS_OPTIONS_H

#include "epitaph.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Checks `options` and fills in `checked`, a copy in which defaults replace zeros.
epitaph_status epitaph_options_check(const epitaph_options *options, epitaph_options *checked,
                                     epitaph_error *error);

/// Whether options may name the signal.
bool epitaph_signal_can_be_handled(int signal);

/// Whether the death by a signal with the default action can be marked.
bool epitaph_signal_can_be_marked(int signal);

// Reasons not to start. EPITAPH_OK when there is none.
epitaph_status epitaph_secure_execution_check(const epitaph_options *options, epitaph_error *error);

epitaph_status epitaph_debugger_check(const epitaph_options *options, epitaph_error *error);

#pragma GCC visibility pop

#endif
