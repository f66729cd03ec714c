// SPDX-License-Identifier: Apache-2.0
//
// The parts of a dump and their order. CRASH-TIME.

#ifndef EPITAPH_HANDLER_CAPTURE_SECTIONS_H
#define EPITAPH_HANDLER_CAPTURE_SECTIONS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// Writes the dump of a crash, the most valuable first.
void epitaph_crash_sections_write(epitaph_capture *capture);
/// Writes the dump of a process that survives; its threads continue as early as possible.
void epitaph_live_sections_write(epitaph_capture *capture);
/// Writes what can be read at a crash without a system call.
void epitaph_silent_sections_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
