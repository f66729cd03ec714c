// SPDX-License-Identifier: Apache-2.0
//
// Attribute values. Comes with epitaph.h.

#ifndef EPITAPH_ATTRIBUTE_TYPES_H
#define EPITAPH_ATTRIBUTE_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef enum epitaph_attribute_type {
    EPITAPH_ATTRIBUTE_STRING = 1,
    /// 64-bit signed.
    EPITAPH_ATTRIBUTE_INTEGER = 2,
    /// A double.
    EPITAPH_ATTRIBUTE_NUMBER = 3,
    EPITAPH_ATTRIBUTE_BOOLEAN = 4,
} epitaph_attribute_type;

/// A typed value. Only the member for `type` is used.
typedef struct epitaph_attribute {
    epitaph_attribute_type type;
    /// UTF-8, not NUL-terminated.
    const char *string;
    size_t string_bytes;
    /// Also for booleans: 0 is false.
    int64_t integer;
    /// May be infinite or NaN.
    double number;
} epitaph_attribute;

typedef struct epitaph_named_attribute {
    /// UTF-8, 1 to 255 bytes, not NUL-terminated.
    const char *name;
    size_t name_bytes;
    epitaph_attribute value;
} epitaph_named_attribute;

#endif
