// SPDX-License-Identifier: Apache-2.0
//
// Attributes: annotations that have a type. Comes with epitaph.h.

#ifndef EPITAPH_ATTRIBUTES_H
#define EPITAPH_ATTRIBUTES_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// QUIET-TIME. Sets the attribute `name` (1 to 255 bytes) of every report of this process. It has
/// the type of the latest value. A name is an annotation's as well: epitaph_annotation_set sets the
/// same, as a string. A crash at any moment finds the old value or the new one. A string has at
/// most 20,480 bytes; a longer one is cut before a character and marked as cut.
///
/// Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for a name of another length, a NULL or an unknown
/// type; EPITAPH_NO_ROOM when there are 128 attributes already; EPITAPH_NOT_STARTED before
/// epitaph_start.
epitaph_status epitaph_attribute_set(const char *name, const epitaph_attribute *value);

/// QUIET-TIME. The same for one type each; the string ends with NUL.
epitaph_status epitaph_attribute_set_string(const char *name, const char *value);
/// QUIET-TIME. As epitaph_attribute_set.
epitaph_status epitaph_attribute_set_integer(const char *name, int64_t value);
/// QUIET-TIME. As epitaph_attribute_set.
epitaph_status epitaph_attribute_set_number(const char *name, double value);
/// QUIET-TIME. As epitaph_attribute_set; any value but 0 is true.
epitaph_status epitaph_attribute_set_boolean(const char *name, int value);

/// QUIET-TIME. Removes an attribute, as epitaph_annotation_remove.
epitaph_status epitaph_attribute_remove(const char *name);

/// A copy of an attribute.
typedef struct epitaph_attribute_copy {
    /// Ends with NUL.
    char name[256];
    /// Which of the following counts.
    epitaph_attribute_type type;
    /// Nonzero: the string was longer.
    int is_cut;
    /// For booleans, too: 0 or 1.
    int64_t integer;
    /// Of EPITAPH_ATTRIBUTE_NUMBER.
    double number;
    /// The caller's memory for strings, of 20,480 bytes; they get no NUL.
    char *string;
    /// How many bytes of it are used.
    size_t string_bytes;
} epitaph_attribute_copy;

/// QUIET-TIME. Copies the next attribute that is set, beginning with `*place` (0 for the first),
/// and moves `*place` behind it. Returns EPITAPH_OK; EPITAPH_NO_ROOM when there is no more;
/// EPITAPH_INVALID_OPTION for a NULL; EPITAPH_NOT_STARTED.
epitaph_status epitaph_attribute_read(uint32_t *place, epitaph_attribute_copy *copy);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
