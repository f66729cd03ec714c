// SPDX-License-Identifier: Apache-2.0
//
// Memory: our own with a guard, and copies of what may not be there. QUIET-TIME.

#ifndef EPITAPH_BASE_MEMORY_H
#define EPITAPH_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Memory of at least `size` bytes, zeroed, with an unreadable page before it; NULL if there is
/// none. The kernel provides its pages when they are first touched.
void *epitaph_guarded_memory_make(size_t size);

void epitaph_guarded_memory_free(void *memory, size_t size);

/// Copies up to `count` bytes, at most 4,096, from `address` and returns how many there were; 0
/// also where no pipe can be made.
size_t epitaph_readable_copy(void *to, uint64_t address, size_t count);

#pragma GCC visibility pop

#endif
