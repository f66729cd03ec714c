// SPDX-License-Identifier: Apache-2.0
//
// The mark of a process that ended well, in its dump file. Internal to the package.

#ifndef EPITAPH_CLEAN_EXIT_H
#define EPITAPH_CLEAN_EXIT_H

#include "epitaph_dump_file_state.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Records that the process ended well, at `time_ns` by CLOCK_REALTIME. With a head it
/// makes no system call. The file stays locked: if the process crashes after all, the crash
/// overwrites the mark. In `displaced_signals`, bit n - 1 is set if signal n had another handler
/// than ours.
void epitaph_dump_file_mark_clean_exit(epitaph_dump_file *file, uint64_t time_ns,
                                       uint64_t displaced_signals);

#pragma GCC visibility pop

#endif
