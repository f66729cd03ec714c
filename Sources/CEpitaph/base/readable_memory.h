// SPDX-License-Identifier: Apache-2.0
//
// Copying memory that may not be there, while the program is sound. QUIET-TIME.

#ifndef EPITAPH_BASE_READABLE_MEMORY_H
#define EPITAPH_BASE_READABLE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Copies up to `count` bytes, at most 4,096, from `address` and returns how many there were; 0
/// also where no pipe can be made.
size_t epitaph_readable_copy(void *to, uint64_t address, size_t count);

#pragma GCC visibility pop

#endif
