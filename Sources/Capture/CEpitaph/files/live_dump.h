// SPDX-License-Identifier: Apache-2.0
//
// Live dumps: what a program asks for, and how the rest of this library asks. QUIET-TIME.

#ifndef EPITAPH_FILES_LIVE_DUMP_H
#define EPITAPH_FILES_LIVE_DUMP_H

#include "epitaph.h"
#include "epitaph_live_dumps.h"
#include "epitaph_report_request.h"

#pragma GCC visibility push(hidden)

/// What a program asks for, checked; its texts are the caller's still.
epitaph_status epitaph_live_request_read(const epitaph_live_request *given,
                                         epitaph_report_request *request, epitaph_error *error);

/// What epitaph_live_dump_request does. In a shared library a call of that would go through the
/// loader.
epitaph_status epitaph_live_dump_make(const epitaph_live_request *given, char *name,
                                      epitaph_error *error);

#pragma GCC visibility pop

#endif
