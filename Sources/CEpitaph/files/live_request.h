// SPDX-License-Identifier: Apache-2.0
//
// What a program asks of a live dump. QUIET-TIME.

#ifndef EPITAPH_FILES_LIVE_REQUEST_H
#define EPITAPH_FILES_LIVE_REQUEST_H

#include "epitaph.h"
#include "epitaph_report_request.h"

#pragma GCC visibility push(hidden)

/// What a program asks for, checked; its texts are the caller's still.
epitaph_status epitaph_live_request_read(const epitaph_live_request *given,
                                         epitaph_report_request *request, epitaph_error *error);

#pragma GCC visibility pop

#endif
