// SPDX-License-Identifier: Apache-2.0
//
// What the options say of annotations and breadcrumbs, and what some functions for programs do, as
// the rest of this library calls it. QUIET-TIME unless said otherwise.

#ifndef EPITAPH_CHOICES_CHOICES_H
#define EPITAPH_CHOICES_CHOICES_H

#include "epitaph_attributes.h"
#include "epitaph_notes.h"
#include "epitaph_task_scopes.h"

#pragma GCC visibility push(hidden)

// What the options of epitaph_start say of annotations and breadcrumbs. The state is locked.

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error);

/// Makes the ring of breadcrumbs, unless there already is one of that size.
epitaph_status epitaph_breadcrumbs_prepare(const epitaph_options *options, epitaph_error *error);

/// Makes the breadcrumb file if the options want one. Without it the program starts anyway:
/// epitaph_breadcrumb_file_check says why there is none.
void epitaph_breadcrumb_file_prepare(const epitaph_options *options);

// What some functions for programs do, as the rest of this library calls it: in a shared library a
// call of the public ones would go through the loader.

/// ANY-TIME. Whether it has a type that exists and, as a string, an address.
bool epitaph_attribute_has_value(const epitaph_attribute *attribute);

/// ANY-TIME. The type of a value of the public API and the bytes that are kept of it, which lie in
/// `attribute`; without a name.
epitaph_attribute_value epitaph_attribute_bytes(const epitaph_attribute *attribute);

/// What epitaph_attribute_set, epitaph_annotation_set and epitaph_annotation_remove do.
epitaph_status epitaph_attribute_store(const char *name, const epitaph_attribute *value);
epitaph_status epitaph_annotation_store(const char *name, const char *text);
epitaph_status epitaph_annotation_drop(const char *name);

/// What epitaph_scope_make and epitaph_scope_free do.
uint64_t epitaph_scope_place_take(uint64_t parent, const epitaph_named_attribute *attributes,
                                  size_t count);
void epitaph_scope_place_give(uint64_t token);

#pragma GCC visibility pop

#endif
