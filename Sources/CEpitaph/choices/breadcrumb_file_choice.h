// SPDX-License-Identifier: Apache-2.0
//
// Whether breadcrumbs are written to a file too. QUIET-TIME; the state is locked.

#ifndef EPITAPH_CHOICES_BREADCRUMB_FILE_CHOICE_H
#define EPITAPH_CHOICES_BREADCRUMB_FILE_CHOICE_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

/// Makes the breadcrumb file if the options want one. Without it the program starts nevertheless:
/// epitaph_breadcrumb_file_check says why there is none.
void epitaph_breadcrumb_file_prepare(const epitaph_options *options);

#pragma GCC visibility pop

#endif
