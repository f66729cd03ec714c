// SPDX-License-Identifier: Apache-2.0
//
// What a dump is made of, and in which order. CRASH-TIME.

#ifndef EPITAPH_HANDLER_CAPTURE_SECTIONS_H
#define EPITAPH_HANDLER_CAPTURE_SECTIONS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// Writes the dump of a crash, the most valuable first.
void epitaph_crash_sections_write(epitaph_capture *capture);
/// Writes the dump of a process that lives on; its threads go on as early as can be.
void epitaph_live_sections_write(epitaph_capture *capture);
/// Writes what can be read of a crash without a system call.
void epitaph_silent_sections_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
