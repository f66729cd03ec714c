// SPDX-License-Identifier: Apache-2.0
//
// Memory of our own, with an unreadable page before it. QUIET-TIME.

#ifndef EPITAPH_BASE_GUARDED_MEMORY_H
#define EPITAPH_BASE_GUARDED_MEMORY_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Memory of at least `size` bytes, zeroed, with an unreadable page before it; NULL if there is
/// none. The kernel provides its pages when they are first touched.
void *epitaph_guarded_memory_make(size_t size);

void epitaph_guarded_memory_free(void *memory, size_t size);

#pragma GCC visibility pop

#endif
