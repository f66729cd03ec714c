// SPDX-License-Identifier: Apache-2.0
//
// Checks for reasons not to start. They return EPITAPH_OK if there is none. QUIET-TIME.

#ifndef EPITAPH_OPTIONS_START_REFUSALS_H
#define EPITAPH_OPTIONS_START_REFUSALS_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

// Reasons not to start. EPITAPH_OK when there is none.
epitaph_status epitaph_secure_execution_check(const epitaph_options *options, epitaph_error *error);

epitaph_status epitaph_debugger_check(const epitaph_options *options, epitaph_error *error);

#pragma GCC visibility pop

#endif
