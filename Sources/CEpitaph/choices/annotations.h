// SPDX-License-Identifier: Apache-2.0
//
// Annotations of epitaph_start. QUIET-TIME.

#ifndef EPITAPH_CHOICES_ANNOTATIONS_H
#define EPITAPH_CHOICES_ANNOTATIONS_H

#include "epitaph.h"
#include "epitaph_attributes.h"

#pragma GCC visibility push(hidden)

/// What epitaph_attribute_set, epitaph_annotation_set and epitaph_annotation_remove do. In a shared
/// library a call of those would go through the loader.
epitaph_status epitaph_attribute_store(const char *name, const epitaph_attribute *value);
epitaph_status epitaph_annotation_store(const char *name, const char *text);
epitaph_status epitaph_annotation_drop(const char *name);

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error);

#pragma GCC visibility pop

#endif
