// SPDX-License-Identifier: Apache-2.0
//
// Handled errors. Comes with epitaph.h.

#ifndef EPITAPH_ERRORS_H
#define EPITAPH_ERRORS_H

#include "epitaph_live_dumps.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// QUIET-TIME. Writes a pending dump for an error that the program handled, with the calling thread
/// only; no other is stopped. Reports with the same `type` and place have the same signature.
///
/// Takes a millisecond or more and does not aggregate: limit the rate yourself if the same error is
/// frequent. At most `max_pending_dumps` dumps are kept.
///
/// `type` has 1 to 255 bytes; control characters become `?`. `message` keeps at most 3,800 bytes;
/// NULL for none. `error` may be NULL. Returns what epitaph_live_dump_request returns;
/// EPITAPH_INVALID_OPTION for an invalid type.
epitaph_status epitaph_error_report(const char *type, const char *message, epitaph_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
