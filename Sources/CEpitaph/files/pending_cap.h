// SPDX-License-Identifier: Apache-2.0
//
// Makes room for one more dump under the caps. QUIET-TIME.

#ifndef EPITAPH_FILES_PENDING_CAP_H
#define EPITAPH_FILES_PENDING_CAP_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

/// Removes dumps of this bundle until there is room for one more under the caps, and counts them.
/// It leaves files of other bundles and of living owners alone.
epitaph_status epitaph_pending_make_room(const epitaph_options *options, epitaph_error *error);

#pragma GCC visibility pop

#endif
