// SPDX-License-Identifier: Apache-2.0
//
// The values an attribute can have. Comes with epitaph.h.

#ifndef EPITAPH_ATTRIBUTE_TYPES_H
#define EPITAPH_ATTRIBUTE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/// What an attribute is.
typedef enum epitaph_attribute_type {
    /// Text.
    EPITAPH_ATTRIBUTE_STRING = 1,
    /// A signed integer of 64 bits.
    EPITAPH_ATTRIBUTE_INTEGER = 2,
    /// A floating-point number.
    EPITAPH_ATTRIBUTE_NUMBER = 3,
    /// True or false.
    EPITAPH_ATTRIBUTE_BOOLEAN = 4,
} epitaph_attribute_type;

/// A value with its type. Only the member of that type counts.
typedef struct epitaph_attribute {
    /// Which of the following counts.
    epitaph_attribute_type type;
    /// UTF-8; needs no NUL.
    const char *string;
    /// How many bytes `string` has.
    size_t string_bytes;
    /// For booleans, too: 0 is false.
    int64_t integer;
    /// Any, also one that is not finite.
    double number;
} epitaph_attribute;

/// An attribute with its name, for breadcrumbs and scopes.
typedef struct epitaph_named_attribute {
    /// UTF-8, 1 to 255 bytes; needs no NUL.
    const char *name;
    /// How many bytes `name` has.
    size_t name_bytes;
    /// What it is.
    epitaph_attribute value;
} epitaph_named_attribute;

#endif
