// SPDX-License-Identifier: Apache-2.0
//
// Values of the public API as the bytes that are kept of them. ANY-TIME.

#ifndef EPITAPH_CHOICES_ATTRIBUTE_BYTES_H
#define EPITAPH_CHOICES_ATTRIBUTE_BYTES_H

#include "epitaph_attribute_records.h"
#include "epitaph_attributes.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether it has a type that exists and, as a string, an address.
bool epitaph_attribute_has_value(const epitaph_attribute *attribute);

/// Its type and its value, which lies in `attribute`; without a name.
epitaph_attribute_value epitaph_attribute_bytes(const epitaph_attribute *attribute);

#pragma GCC visibility pop

#endif
