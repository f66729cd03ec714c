// SPDX-License-Identifier: Apache-2.0
//
// Attributes: typed annotations. Comes with epitaph.h.

#ifndef EPITAPH_ATTRIBUTES_H
#define EPITAPH_ATTRIBUTES_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// QUIET-TIME. Sets the attribute `name` (1 to 255 bytes) of all reports of this process.
/// Attributes and annotations share their names: epitaph_annotation_set sets a string attribute.
/// Atomic: a crash finds the old or the new value. Strings over 20,480 bytes are cut before a
/// character and marked.
///
/// Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for NULL, an unknown type or a name of invalid
/// length; EPITAPH_NO_ROOM if there are 128 attributes; or EPITAPH_NOT_STARTED.
epitaph_status epitaph_attribute_set(const char *name, const epitaph_attribute *value);

/// QUIET-TIME. Like epitaph_attribute_set, for one type each; the string is NUL-terminated.
epitaph_status epitaph_attribute_set_string(const char *name, const char *value);
/// QUIET-TIME.
epitaph_status epitaph_attribute_set_integer(const char *name, int64_t value);
/// QUIET-TIME.
epitaph_status epitaph_attribute_set_number(const char *name, double value);
/// QUIET-TIME. Any value but 0 is true.
epitaph_status epitaph_attribute_set_boolean(const char *name, int value);

/// QUIET-TIME. Same as epitaph_annotation_remove.
epitaph_status epitaph_attribute_remove(const char *name);

typedef struct epitaph_attribute_copy {
    /// NUL-terminated.
    char name[256];
    epitaph_attribute_type type;
    /// Nonzero if the string was longer.
    int is_cut;
    /// Also for booleans: 0 or 1.
    int64_t integer;
    double number;
    /// Provided by the caller, 20,480 bytes; not NUL-terminated.
    char *string;
    size_t string_bytes;
} epitaph_attribute_copy;

/// QUIET-TIME. Copies the next attribute from `*place` on (0 for the first) and advances it.
/// Returns EPITAPH_OK; EPITAPH_NO_ROOM at the end; EPITAPH_INVALID_OPTION; EPITAPH_NOT_STARTED.
epitaph_status epitaph_attribute_read(uint32_t *place, epitaph_attribute_copy *copy);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
