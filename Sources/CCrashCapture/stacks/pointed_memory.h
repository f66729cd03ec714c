// SPDX-License-Identifier: Apache-2.0
//
// Memory of one thread that is worth capturing: what its registers and its stack point to.
// CRASH-TIME.

#ifndef EPITAPH_STACKS_POINTED_MEMORY_H
#define EPITAPH_STACKS_POINTED_MEMORY_H

#include "capture/capture.h"
#include "system/range.h"

#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Write that memory as entries of an open array of memory regions.
void epitaph_crashing_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                   epitaph_range stack);
void epitaph_other_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                epitaph_range stack);

/// The memory of a lock at `address`, for a thread of which nothing else is known to point to
/// memory.
void epitaph_lock_memory_write(epitaph_capture *capture, uint64_t address, epitaph_range stack);

#pragma GCC visibility pop

#endif
