// SPDX-License-Identifier: Apache-2.0
//
// Which file a capture writes. CRASH-TIME.

#ifndef EPITAPH_HANDLER_CAPTURE_FILE_H
#define EPITAPH_HANDLER_CAPTURE_FILE_H

#include "capture/capture.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Finds the file that a crash is written to, and begins writing; false when there is none.
bool epitaph_capture_file_open(epitaph_capture *capture);

/// Begins writing into `capture->file`; with `is_storing` into its head alone, without a system
/// call.
void epitaph_capture_file_begin(epitaph_capture *capture, bool is_storing);

/// Arms a new dump file, for a process that lives on.
void epitaph_capture_rearm(void);

#pragma GCC visibility pop

#endif
