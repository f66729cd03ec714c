// SPDX-License-Identifier: Apache-2.0
//
// Writes stacks. CRASH-TIME.

#ifndef EPITAPH_STACKS_STACK_WRITING_H
#define EPITAPH_STACKS_STACK_WRITING_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The thread of a stack and its pointers.
typedef struct epitaph_stack_owner {
    int32_t tid;
    uint64_t stack_pointer;
    /// May be 0.
    uint64_t thread_data_address;
} epitaph_stack_owner;

/// Writes the outermost part of a stack that is longer than `found`, which was limited to `limit`
/// bytes, as an entry of an open array of memory regions: a stack that overflowed is captured up to
/// where the thread began. What is in neither part is damage if the stack is known to continue.
void epitaph_stack_outermost_write(epitaph_capture *capture, const epitaph_stack_owner *owner,
                                   epitaph_range found, uint64_t limit);
/// Writes `stack`, found before, as an entry of an open array of memory regions.
void epitaph_stack_write_region(epitaph_capture *capture, epitaph_range stack);

/// Writes STACK_REGION_ADDRESS and STACK_REGION_DATA for `stack`, found before.
void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid);

/// The same for a thread that did not crash. From a small stack a long run of zeros is left out,
/// and what is above it is written as STACK_UPPER_ADDRESS and STACK_UPPER_DATA. `stack` is
/// shortened to the budget of all stacks.
void epitaph_other_stack_write(epitaph_capture *capture, epitaph_range *stack, uint64_t tid);

#pragma GCC visibility pop

#endif
