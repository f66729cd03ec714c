// SPDX-License-Identifier: Apache-2.0
//
// How large the alternate stacks are that we give.

#ifndef EPITAPH_THREADS_ALTERNATE_STACK_SIZE_H
#define EPITAPH_THREADS_ALTERNATE_STACK_SIZE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// How large the stacks are that we give, in bytes.
size_t epitaph_alternate_stack_size(void);

#pragma GCC visibility pop

#endif
