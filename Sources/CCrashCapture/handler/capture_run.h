// SPDX-License-Identifier: Apache-2.0
//
// One capture from its beginning to its end. CRASH-TIME.

#ifndef EPITAPH_HANDLER_CAPTURE_RUN_H
#define EPITAPH_HANDLER_CAPTURE_RUN_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// Captures a crash, whose signal, info and context are set, and seals the dump.
void epitaph_capture_run(epitaph_capture *capture);

/// The same without a system call, only into the head of the armed file, which is not sealed.
void epitaph_capture_run_silently(epitaph_capture *capture);

/// Captures a process that survives, for the thread whose `context` is set, into
/// `capture->live_file`, which stays open and locked: the caller seals it. The other threads are
/// released as early as possible.
void epitaph_capture_run_live(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
