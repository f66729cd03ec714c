// SPDX-License-Identifier: Apache-2.0
//
// Dumps of a process that survives. Internal to the package: programs use epitaph.h.

#ifndef EPITAPH_LIVE_CAPTURE_H
#define EPITAPH_LIVE_CAPTURE_H

#include "epitaph_dump_file_state.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Captures the running process for the calling thread into a new file, which is left
/// open and complete: one in the pending directory, or `name` in `directory` if a name is given.
/// Waits up to `timeout_ns` for another capture to end. No system call of another thread is
/// interrupted. Returns 0, -EBUSY, or another negative errno; then there is no file.
long epitaph_live_capture(epitaph_dump_file *file, int directory, const char *name,
                          uint64_t timeout_ns);

#pragma GCC visibility pop

#endif
