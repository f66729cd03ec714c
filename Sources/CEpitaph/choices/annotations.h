// SPDX-License-Identifier: Apache-2.0
//
// Annotations of epitaph_start. QUIET-TIME.

#ifndef EPITAPH_CHOICES_ANNOTATIONS_H
#define EPITAPH_CHOICES_ANNOTATIONS_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error);

#pragma GCC visibility pop

#endif
