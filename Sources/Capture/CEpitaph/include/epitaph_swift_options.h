// SPDX-License-Identifier: Apache-2.0
//
// The fields of epitaph_options and epitaph_limits by their rows in the table of options, for the
// Swift package and the preloaded library. Programs in C name the fields. QUIET-TIME.

#ifndef EPITAPH_SWIFT_OPTIONS_H
#define EPITAPH_SWIFT_OPTIONS_H

#include "epitaph.h"
#include "epitaph_option_rows.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Reads a number, or stores one, whatever its bounds are: of a FLAG 1 for yes and 0 for no. False,
/// and nothing is changed, for a row whose field is no number.
bool epitaph_option_get(const epitaph_options *options, const epitaph_option_row *row,
                        uint64_t *value);
bool epitaph_option_set(epitaph_options *options, const epitaph_option_row *row, uint64_t value);

/// Stores a text, or a list that ends with NULL or 0, of which only the address is kept. False for
/// a row whose field is a number, or that has none.
bool epitaph_option_set_address(epitaph_options *options, const epitaph_option_row *row,
                                const void *address);

/// The same for limits; false for a row that is not of EPITAPH_LIMITS.
bool epitaph_limit_get(const epitaph_limits *limits, const epitaph_option_row *row,
                       uint64_t *value);
bool epitaph_limit_set(epitaph_limits *limits, const epitaph_option_row *row, uint64_t value);

#pragma GCC visibility pop

#endif
