// SPDX-License-Identifier: Apache-2.0
//
// Which file a capture writes to. CRASH-TIME.

#ifndef EPITAPH_HANDLER_CAPTURE_FILE_H
#define EPITAPH_HANDLER_CAPTURE_FILE_H

#include "capture/capture.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Finds the file for a crash and begins writing; false if there is none.
bool epitaph_capture_file_open(epitaph_capture *capture);

/// Begins writing to `capture->file`; with `is_storing` only to its head, without a system call.
void epitaph_capture_file_begin(epitaph_capture *capture, bool is_storing);

/// CRASH-TIME. Seals the file; its head stays mapped until the process is dead or armed again. By
/// this a handler of core files knows that there is a dump of this death:
/// docs/decisions/one-report-of-a-death.md.
bool epitaph_capture_file_seal(epitaph_capture *capture);

/// Arms a new dump file for a process that survives.
void epitaph_capture_rearm(void);

#pragma GCC visibility pop

#endif
