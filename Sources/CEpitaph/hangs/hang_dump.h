// SPDX-License-Identifier: Apache-2.0
//
// The dump of one hang, from its capture until it becomes a report or is discarded. QUIET-TIME.

#ifndef EPITAPH_HANGS_HANG_DUMP_H
#define EPITAPH_HANGS_HANG_DUMP_H

#include "epitaph_dump_file_state.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// While it is open its file is locked: a sweep sees that the owner is alive, and makes a report of
/// the file once the owner is dead.
typedef struct epitaph_hang_dump {
    bool is_open;
    epitaph_dump_file file;
} epitaph_hang_dump;

/// Captures all threads into `dump`. `tid` is the stuck thread, or 0 if it is not known. Returns 0
/// or a negative errno.
long epitaph_hang_dump_take(epitaph_hang_dump *dump, const char *name, int32_t tid,
                            uint64_t silent_ns);
/// Makes it a report. `is_over` says that the hang ended by itself.
void epitaph_hang_dump_keep(epitaph_hang_dump *dump, bool is_over, uint64_t silent_ns);
/// Discards it.
void epitaph_hang_dump_discard(epitaph_hang_dump *dump);

#pragma GCC visibility pop

#endif
