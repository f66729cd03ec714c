// SPDX-License-Identifier: Apache-2.0
//
// The REPORT_REQUEST section: what a dump of a process that lives on is of. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_REQUEST_SECTION_H
#define EPITAPH_SECTIONS_REQUEST_SECTION_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// To be called before anything else is written: `epitaph_report_request_amend` finds it by its
/// place, right behind the launch record.
void epitaph_report_request_write(epitaph_capture *capture);

/// Writes what the request says in words, as an entry of MESSAGES; nothing if there is none.
void epitaph_request_message_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
