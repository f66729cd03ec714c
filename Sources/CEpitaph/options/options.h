// SPDX-License-Identifier: Apache-2.0
//
// The options of epitaph_start, checked. QUIET-TIME.

#ifndef EPITAPH_OPTIONS_OPTIONS_H
#define EPITAPH_OPTIONS_OPTIONS_H

#include "epitaph.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Checks `options` and fills in `checked`, a copy in which defaults replace zeros.
epitaph_status epitaph_options_check(const epitaph_options *options, epitaph_options *checked,
                                     epitaph_error *error);

/// Whether a program may have that bundle id.
bool epitaph_is_bundle_id(const char *text);

/// Whether options may name the signal.
bool epitaph_signal_can_be_handled(int signal);

/// Whether the death by a signal with the default action can be marked.
bool epitaph_signal_can_be_marked(int signal);

#pragma GCC visibility pop

#endif
