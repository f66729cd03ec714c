// SPDX-License-Identifier: Apache-2.0
//
// Names and typed values, wherever a dump has them. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_ATTRIBUTE_VALUES_H
#define EPITAPH_SECTIONS_ATTRIBUTE_VALUES_H

#include "epitaph_attribute_records.h"
#include "epitaph_dump_format.h"
#include "file/writer.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A map with the ANNOTATION keys, in the array `key`, which has been started.
void epitaph_attribute_write(epitaph_writer *writer, epitaph_dump_key key,
                             const epitaph_attribute_value *attribute);

/// An array of them, none when there are no records but perhaps that of a kind.
void epitaph_attributes_write(epitaph_writer *writer, epitaph_dump_key key, const uint8_t *records,
                              size_t used);

#pragma GCC visibility pop

#endif
