// SPDX-License-Identifier: Apache-2.0
//
// Checked options, and reasons not to start. QUIET-TIME.

#ifndef EPITAPH_OPTIONS_OPTIONS_H
#define EPITAPH_OPTIONS_OPTIONS_H

#include "epitaph.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Checks `options` and writes a copy with defaults in place of zeros to `checked`.
epitaph_status epitaph_options_check(const epitaph_options *options, epitaph_options *checked,
                                     epitaph_error *error);

bool epitaph_signal_can_be_handled(int signal);

bool epitaph_signal_can_be_marked(int signal);

// Reasons not to start; EPITAPH_OK if there are none.
epitaph_status epitaph_secure_execution_check(const epitaph_options *options, epitaph_error *error);

epitaph_status epitaph_debugger_check(const epitaph_options *options, epitaph_error *error);

/// The limits of getrlimit(2) may leave the program too little beside us.
epitaph_status epitaph_limits_check(epitaph_error *error);

#pragma GCC visibility pop

#endif
