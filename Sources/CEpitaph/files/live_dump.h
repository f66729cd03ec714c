// SPDX-License-Identifier: Apache-2.0
//
// Live dumps as the rest of this library asks for them. QUIET-TIME.

#ifndef EPITAPH_FILES_LIVE_DUMP_H
#define EPITAPH_FILES_LIVE_DUMP_H

#include "epitaph.h"
#include "epitaph_live_dumps.h"

#pragma GCC visibility push(hidden)

/// What epitaph_live_dump_request does. In a shared library a call of that would go through the
/// loader.
epitaph_status epitaph_live_dump_make(const epitaph_live_request *given, char *name,
                                      epitaph_error *error);

#pragma GCC visibility pop

#endif
