// SPDX-License-Identifier: Apache-2.0
//
// QUIET-TIME unless marked.

#ifndef EPITAPH_CHOICES_CHOICES_H
#define EPITAPH_CHOICES_CHOICES_H

#include "epitaph_attributes.h"
#include "epitaph_notes.h"
#include "epitaph_task_scopes.h"

#pragma GCC visibility push(hidden)

// Annotations and breadcrumbs of epitaph_start. The caller holds the state lock.

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error);

epitaph_status epitaph_breadcrumbs_prepare(const epitaph_options *options, epitaph_error *error);

/// Creates the breadcrumb file if requested. Failure is not fatal: epitaph_breadcrumb_file_check.
void epitaph_breadcrumb_file_prepare(const epitaph_options *options);

// Internal versions of public functions, whose calls go through the dynamic linker.

/// ANY-TIME. Returns whether the type is valid and a string has an address.
bool epitaph_attribute_has_value(const epitaph_attribute *attribute);

/// ANY-TIME. Type and stored bytes of a public value, without a name. The bytes are in `attribute`.
epitaph_attribute_value epitaph_attribute_bytes(const epitaph_attribute *attribute);

epitaph_status epitaph_attribute_store(const char *name, const epitaph_attribute *value);
epitaph_status epitaph_annotation_store(const char *name, const char *text);
epitaph_status epitaph_annotation_drop(const char *name);

uint64_t epitaph_scope_place_take(uint64_t parent, const epitaph_named_attribute *attributes,
                                  size_t count);
void epitaph_scope_place_give(uint64_t token);

#pragma GCC visibility pop

#endif
