// SPDX-License-Identifier: Apache-2.0
//
// Environment variables whose values are no secret, or may be in dumps. Internal to the package.

#ifndef EPITAPH_EXEMPT_VARIABLES_H
#define EPITAPH_EXEMPT_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Whether the variable `NAME=value` of `count` bytes is exempt: its value is no secret,
/// or may be in dumps (`exempt_names`).
bool epitaph_variable_is_exempt(const char *text, size_t count);

#pragma GCC visibility pop

#endif
