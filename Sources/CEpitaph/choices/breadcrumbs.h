// SPDX-License-Identifier: Apache-2.0
//
// The ring of breadcrumbs. QUIET-TIME.

#ifndef EPITAPH_CHOICES_BREADCRUMBS_H
#define EPITAPH_CHOICES_BREADCRUMBS_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

/// Makes the ring of breadcrumbs, unless there already is one of that size.
epitaph_status epitaph_breadcrumbs_prepare(const epitaph_options *options, epitaph_error *error);

#pragma GCC visibility pop

#endif
