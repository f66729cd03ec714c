// SPDX-License-Identifier: Apache-2.0
//
// Dumps of a process that survives. Internal to the package: programs use epitaph.h.

#ifndef EPITAPH_LIVE_CAPTURE_H
#define EPITAPH_LIVE_CAPTURE_H

#include "epitaph_dump_file_state.h"
#include "epitaph_report_request.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Captures the process, which lives on, as `request` asks into a new file, which is
/// left open and whole: one of the pending directory, or `name` in `directory` where a name is
/// given. Waits up to `timeout_ns` for another capture to end. No system call of another thread is
/// interrupted. Returns 0, -EBUSY, or another negative errno; then there is no file.
long epitaph_live_capture(epitaph_dump_file *file, const epitaph_report_request *request,
                          int directory, const char *name, uint64_t timeout_ns);

#pragma GCC visibility pop

#endif
