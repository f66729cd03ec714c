// SPDX-License-Identifier: Apache-2.0
//
// The mark of a process that ends by a signal with the default action, in its dump file. Internal to
// the package.

#ifndef EPITAPH_SIGNAL_MARK_H
#define EPITAPH_SIGNAL_MARK_H

#include "epitaph_dump_file_state.h"

#include <signal.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Writes down that `signal` ends the process. The caller has proven that the file is
/// this process's. Does nothing where a crash has the file, or it is marked already.
void epitaph_dump_file_mark_signal(epitaph_dump_file *file, int signal, const siginfo_t *info);

/// CRASH-TIME. The handler of the signals whose deaths are marked: marks, and brings the default
/// action about.
void epitaph_handle_marked_signal(int signal, siginfo_t *info, void *context);

/// QUIET-TIME. Notes in the launch record of the armed file that memory was short.
void epitaph_dump_file_note_memory_warning(epitaph_dump_file *file);

#pragma GCC visibility pop

#endif
