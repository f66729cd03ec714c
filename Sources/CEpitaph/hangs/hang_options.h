// SPDX-License-Identifier: Apache-2.0
//
// How hangs are detected, as chosen by the program.

#ifndef EPITAPH_HANGS_HANG_OPTIONS_H
#define EPITAPH_HANGS_HANG_OPTIONS_H

#include "epitaph.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_HANG_DUMPS_LIMIT = 32 };

/// ANY-TIME. The options in force, within their ranges. The memory stays valid after they are
/// replaced.
const epitaph_hang_options *epitaph_hang_options_now(void);

/// A threshold brought into its range, in milliseconds.
uint64_t epitaph_hang_threshold_ms(uint32_t threshold_ms);

#pragma GCC visibility pop

#endif
