// SPDX-License-Identifier: Apache-2.0
//
// Filling in an `epitaph_error`. QUIET-TIME.

#ifndef EPITAPH_BASE_ERROR_H
#define EPITAPH_BASE_ERROR_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

/// Fills in `error`, unless it is NULL, with a sentence formatted as by printf(3), and returns
/// `status`. If `error_number` is not 0, its text follows after a colon.
epitaph_status epitaph_error_set(epitaph_error *error, epitaph_status status, int error_number,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

#pragma GCC visibility pop

#endif
