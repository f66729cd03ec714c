// SPDX-License-Identifier: Apache-2.0
//
// One capture: its file, its sections, and the lines it leaves. CRASH-TIME.

#ifndef EPITAPH_HANDLER_CAPTURE_RUN_H
#define EPITAPH_HANDLER_CAPTURE_RUN_H

#include "capture/capture.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

// One capture from its beginning to its end.

/// Captures a crash, whose signal, info and context are set, and seals the dump.
void epitaph_capture_run(epitaph_capture *capture);

/// The same without a system call, only into the head of the armed file, which is not sealed.
void epitaph_capture_run_silently(epitaph_capture *capture);

/// Captures a process that survives, for the thread whose `context` is set, into
/// `capture->live_file`, which stays open and locked: the caller seals it. The other threads are
/// released as early as possible.
void epitaph_capture_run_live(epitaph_capture *capture);

// Which file a capture writes to.

/// Finds the file for a crash and begins writing; false if there is none.
bool epitaph_capture_file_open(epitaph_capture *capture);

/// Begins writing to `capture->file`; with `is_storing` only to its head, without a system call.
void epitaph_capture_file_begin(epitaph_capture *capture, bool is_storing);

/// CRASH-TIME. Seals the file; its head stays mapped until the process is dead or armed again. By
/// this a handler of core files knows that there is a dump of this death:
/// docs/decisions/machines.md.
bool epitaph_capture_file_seal(epitaph_capture *capture);

/// Arms a new dump file for a process that survives.
void epitaph_capture_rearm(void);

// The parts of a dump and their order.

/// Writes the dump of a crash, the most valuable first.
void epitaph_crash_sections_write(epitaph_capture *capture);
/// Writes the dump of a process that survives; its threads continue as early as possible.
void epitaph_live_sections_write(epitaph_capture *capture);
/// Writes what can be read at a crash without a system call.
void epitaph_silent_sections_write(epitaph_capture *capture);

// Three lines on standard error, if the program has asked for them: the signal, the last message,
// and where the dump is. In a pod without a volume nothing else outlives the process.

/// Writes the lines once the dump is complete. Never waits for their reader: what cannot be written
/// now is not written. `has_dump` says whether there is a dump, and `is_sealed` whether its file
/// has its final name.
void epitaph_last_lines_write(epitaph_capture *capture, bool has_dump, bool is_sealed);

#pragma GCC visibility pop

#endif
