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
    /// Of a stack up to this size a long run of zeros is left out.
    EPITAPH_SMALL_STACK_SIZE = 8192,
};

/// A stack from the red zone below its stack pointer upwards.
typedef struct epitaph_stack_extent {
    epitaph_range range;
    /// Whether the stack ends where the range does; a mapping may hold other things above it.
    bool has_known_end;
} epitaph_stack_extent;

/// The whole stack that `stack_pointer` lies in; empty when there is none. `thread_data_address`
/// may be 0.
epitaph_stack_extent epitaph_stack_extent_find(const epitaph_capture *capture,
                                               uint64_t stack_pointer,
                                               uint64_t thread_data_address);

/// The stack `stack_pointer` lies in, from the red zone up, at most `limit` bytes and what the
/// budget of all stacks leaves; empty when there is none. `thread_data_address` may be 0. It is
/// noted in the table of mappings.
epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit);

/// The same for a thread that did not crash, with the limit of those. The budget cuts a small one
/// only when it is written.
epitaph_range epitaph_other_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                       uint64_t thread_data_address);

/// The first part of `stack` that is in memory. The crashing thread's stack pointer may lead
/// anywhere; other threads ran on theirs until they were stopped.
epitaph_range epitaph_stack_present_part(const epitaph_capture *capture, epitaph_range stack,
                                         uint64_t thread_data_address);

/// Has `stack` read, for as long as its thread is written, without asking whether it is in memory.
void epitaph_stack_trust(const epitaph_capture *capture, epitaph_range stack,
                         uint64_t thread_data_address);

#pragma GCC visibility pop

#endif
