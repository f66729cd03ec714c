// SPDX-License-Identifier: Apache-2.0
//
// Where a thread's stack is, and how much of it is in memory. CRASH-TIME.

#ifndef EPITAPH_STACKS_STACK_EXTENT_H
#define EPITAPH_STACKS_STACK_EXTENT_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// From a stack up to this size a long run of zeros is left out.
    EPITAPH_SMALL_STACK_SIZE = 8192,
};

/// A stack from the red zone below its stack pointer upwards.
typedef struct epitaph_stack_extent {
    epitaph_range range;
    /// Whether the stack ends where the range does; a mapping may contain other things above it.
    bool has_known_end;
} epitaph_stack_extent;

/// The whole stack that contains `stack_pointer`; empty if there is none. `thread_data_address` may
/// be 0.
epitaph_stack_extent epitaph_stack_extent_find(const epitaph_capture *capture,
                                               uint64_t stack_pointer,
                                               uint64_t thread_data_address);

/// The stack that contains `stack_pointer`, from the red zone up, at most `limit` bytes and what is
/// left of the budget of all stacks; empty if there is none. `thread_data_address` may be 0. It is
/// recorded in the table of mappings.
epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit);

/// The same for a thread that did not crash, with the limit for those. The budget cuts a small one
/// only when it is written.
epitaph_range epitaph_other_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                       uint64_t thread_data_address);

/// The first resident part of `stack`. The crashing thread's stack pointer may point anywhere;
/// other threads ran on theirs until they were stopped.
epitaph_range epitaph_stack_present_part(const epitaph_capture *capture, epitaph_range stack,
                                         uint64_t thread_data_address);

/// Counts `stack` as resident while its thread is written.
void epitaph_stack_trust(const epitaph_capture *capture, epitaph_range stack,
                         uint64_t thread_data_address);

#pragma GCC visibility pop

#endif
