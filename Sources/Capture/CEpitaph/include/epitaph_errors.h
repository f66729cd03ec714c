// SPDX-License-Identifier: Apache-2.0
//
// Errors that a program handled. Comes with epitaph.h.

#ifndef EPITAPH_ERRORS_H
#define EPITAPH_ERRORS_H

#include "epitaph_live_dumps.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// QUIET-TIME. Writes a pending dump of an error that the program handled, with the calling thread
/// alone: no other is stopped. Its report says `type` and `message`; reports of one type from one
/// place have one signature.
///
/// It takes a millisecond or more, and nothing is counted together: a program that may report the
/// same error very often bounds that itself. At most `max_pending_dumps` dumps wait.
///
/// `type` has 1 to 255 bytes, of which control characters become `?`; of `message` at most 3,800
/// bytes are kept; NULL for none. `error` may be NULL. Returns what epitaph_live_dump_request does;
/// EPITAPH_INVALID_OPTION for another type.
epitaph_status epitaph_error_report(const char *type, const char *message, epitaph_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
