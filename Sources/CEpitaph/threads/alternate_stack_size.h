// SPDX-License-Identifier: Apache-2.0
//
// The size of the alternate stacks that we provide.

#ifndef EPITAPH_THREADS_ALTERNATE_STACK_SIZE_H
#define EPITAPH_THREADS_ALTERNATE_STACK_SIZE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// The size of the alternate stacks that we provide, in bytes.
size_t epitaph_alternate_stack_size(void);

#pragma GCC visibility pop

#endif
