// SPDX-License-Identifier: Apache-2.0
//
// Memory for copies of stacks that is there before it is needed. QUIET-TIME.

#ifndef EPITAPH_CALLER_BUFFERS_H
#define EPITAPH_CALLER_BUFFERS_H

#include "epitaph_caller_stack.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Room for a copy with `count` bytes of stack: what `epitaph_caller_buffers_prepare` made, if some
/// is left, otherwise from malloc(3). NULL without memory.
epitaph_caller_stack *epitaph_caller_buffer_take(size_t count);

#pragma GCC visibility pop

#endif
