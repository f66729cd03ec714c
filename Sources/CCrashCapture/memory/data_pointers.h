// SPDX-License-Identifier: Apache-2.0
//
// Which words may be pointers to data, and into which mapping. CRASH-TIME.

#ifndef EPITAPH_MEMORY_DATA_POINTERS_H
#define EPITAPH_MEMORY_DATA_POINTERS_H

#include "memory/mappings.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Whether the word is far enough from both ends of the address space to be a pointer.
bool epitaph_may_be_pointer(uint64_t value);

/// The readable mapping without code that contains `value`, or NULL; also NULL for a value that
/// points into a stack that is in the dump separately.
const epitaph_mapping *epitaph_data_mapping_find(const epitaph_mappings *mappings, uint64_t value);

#pragma GCC visibility pop

#endif
