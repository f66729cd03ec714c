// SPDX-License-Identifier: Apache-2.0
//
// Memory for the work of the start, given back before the program begins. Not the heap: the
// program's own allocator may not be ready, and what it counts is the program's.

#ifndef EPITAPH_PRELOAD_OWN_MEMORY_H
#define EPITAPH_PRELOAD_OWN_MEMORY_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Zeros; NULL if there is none.
void *epitaph_preload_memory_make(size_t bytes);

void epitaph_preload_memory_free(void *memory, size_t bytes);

#pragma GCC visibility pop

#endif
