// SPDX-License-Identifier: Apache-2.0
//
// Attributes one behind the other in few bytes, as they lie in breadcrumbs and scopes: a type, the
// sizes of name and value, and both. Internal to the package.

#ifndef EPITAPH_ATTRIBUTE_RECORDS_H
#define EPITAPH_ATTRIBUTE_RECORDS_H

#include "epitaph_dump_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// Type, size of the name, size of the value in two bytes.
    EPITAPH_ATTRIBUTE_HEADER_SIZE = 4,
    EPITAPH_ATTRIBUTE_NAME_LIMIT = 255,
    /// In the byte of the type: the value was longer.
    EPITAPH_ATTRIBUTE_CUT_FLAG = 0x80,
    /// In the place of a type: the value says of what kind a breadcrumb is. It has no name.
    EPITAPH_ATTRIBUTE_KIND = 0,
};

/// One attribute. The value is text for strings, and otherwise 8 bytes: an int64_t, a double, or a
/// uint64_t that is 0 or 1.
typedef struct epitaph_attribute_value {
    /// epitaph_dump_annotation_type, or EPITAPH_ATTRIBUTE_KIND
    uint8_t type;
    bool is_cut;
    const char *name;
    size_t name_bytes;
    const void *value;
    size_t value_bytes;
} epitaph_attribute_value;

/// Memory for records.
typedef struct epitaph_attribute_records {
    uint8_t *bytes;
    size_t used;
    size_t size;
} epitaph_attribute_records;

typedef enum epitaph_append_result {
    EPITAPH_APPENDED,
    /// A text that was too long ends before the character that does not fit.
    EPITAPH_APPENDED_CUT,
    /// There is no room for it.
    EPITAPH_NOT_APPENDED,
} epitaph_append_result;

/// ANY-TIME. Copies an attribute behind those that are there. A name that is too long is no name.
epitaph_append_result epitaph_attribute_append(epitaph_attribute_records *records,
                                               const epitaph_attribute_value *attribute);

/// ANY-TIME. The attribute at `*offset` of `used` bytes of records, and moves the offset behind it;
/// false at the end, or where the bytes make no sense.
bool epitaph_attribute_next(const uint8_t *records, size_t used, size_t *offset,
                            epitaph_attribute_value *attribute);

#pragma GCC visibility pop

#endif
