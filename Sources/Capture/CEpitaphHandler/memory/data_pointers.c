// SPDX-License-Identifier: Apache-2.0
//
// Which words may be pointers to data, and into which mapping.

#include "memory/memory.h"

#include "processor/registers.h"

/// Nothing is mapped at the ends of the address space.
static const uint64_t lowest_pointer = 0x10000;

bool epitaph_may_be_pointer(uint64_t value) {
    return value >= lowest_pointer && value < UINT64_MAX - lowest_pointer;
}

const epitaph_mapping *epitaph_data_mapping_find(const epitaph_mappings *mappings, uint64_t value) {
    if (!epitaph_may_be_pointer(value)) return NULL;
    value = epitaph_pointer_address(value);
    const epitaph_mapping *mapping = epitaph_mappings_find(mappings, value);
    if (mapping == NULL || !mapping->is_readable || mapping->is_executable) return NULL;
    return value - mapping->stack.start < mapping->stack.end - mapping->stack.start ? NULL
                                                                                    : mapping;
}
