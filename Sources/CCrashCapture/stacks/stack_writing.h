// SPDX-License-Identifier: Apache-2.0
//
// Stacks on their way into the dump. CRASH-TIME.

#ifndef EPITAPH_STACKS_STACK_WRITING_H
#define EPITAPH_STACKS_STACK_WRITING_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Whose stack it is and where.
typedef struct epitaph_stack_owner {
    int32_t tid;
    uint64_t stack_pointer;
    /// May be 0.
    uint64_t thread_data_address;
} epitaph_stack_owner;

/// Writes the outermost part of a stack of which there is more than `found`, which was to be at
/// most `limit` bytes, as an entry of an open array of memory regions: a stack that overflowed is
/// followed to where the thread began. What is in neither part is damage, where it is known that
/// the stack went on.
void epitaph_stack_outermost_write(epitaph_capture *capture, const epitaph_stack_owner *owner,
                                   epitaph_range found, uint64_t limit);
/// Writes `stack`, which was found before, as an entry of an open array of memory regions.
void epitaph_stack_write_region(epitaph_capture *capture, epitaph_range stack);

/// Writes STACK_REGION_ADDRESS and STACK_REGION_DATA for `stack`, which was found before.
void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid);

/// The same for a thread that did not crash. Of a small stack a long run of zeros is left out, and
/// what is above it is written as STACK_UPPER_ADDRESS and STACK_UPPER_DATA. `stack` ends where the
/// budget of all stacks does.
void epitaph_other_stack_write(epitaph_capture *capture, epitaph_range *stack, uint64_t tid);

#pragma GCC visibility pop

#endif
