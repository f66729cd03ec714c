// SPDX-License-Identifier: Apache-2.0
//
// What the options of epitaph_start say of annotations and breadcrumbs. QUIET-TIME; the state is
// locked.

#ifndef EPITAPH_CHOICES_CHOICES_H
#define EPITAPH_CHOICES_CHOICES_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error);

/// Makes the ring of breadcrumbs, unless there already is one of that size.
epitaph_status epitaph_breadcrumbs_prepare(const epitaph_options *options, epitaph_error *error);

/// Makes the breadcrumb file if the options want one. Without it the program starts nevertheless:
/// epitaph_breadcrumb_file_check says why there is none.
void epitaph_breadcrumb_file_prepare(const epitaph_options *options);

#pragma GCC visibility pop

#endif
