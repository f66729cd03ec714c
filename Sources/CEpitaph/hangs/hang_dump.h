// SPDX-License-Identifier: Apache-2.0
//
// The dump of one hang, from the moment it is taken until it is a report or gone. QUIET-TIME.

#ifndef EPITAPH_HANGS_HANG_DUMP_H
#define EPITAPH_HANGS_HANG_DUMP_H

#include "epitaph_dump_file_state.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// While it is open its file is locked: a sweep sees that its owner lives, and makes a report of it
/// once the owner is dead.
typedef struct epitaph_hang_dump {
    bool is_open;
    epitaph_dump_file file;
} epitaph_hang_dump;

/// Captures all threads into `dump`. `tid` is the stuck one, 0 where it is not known. Returns 0 or
/// a negative errno.
long epitaph_hang_dump_take(epitaph_hang_dump *dump, const char *name, int32_t tid,
                            uint64_t silent_ns);
/// Makes a report of it. `is_over` says that the hang ended by itself.
void epitaph_hang_dump_keep(epitaph_hang_dump *dump, bool is_over, uint64_t silent_ns);
/// Throws it away.
void epitaph_hang_dump_discard(epitaph_hang_dump *dump);

#pragma GCC visibility pop

#endif
