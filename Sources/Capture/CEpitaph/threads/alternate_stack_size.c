// SPDX-License-Identifier: Apache-2.0
//
// The size of the alternate stacks that we provide.

#include "threads/alternate_stack.h"

#include "facts/facts.h"

#include <unistd.h>

/// Needs of our handler besides the kernel's frame, nested once. Tests run the deepest path on a
/// stack of this size above a guard page.
static const size_t handler_stack_bytes = 64 << 10;

static const size_t least_frame_bytes = 4096;

size_t epitaph_alternate_stack_size(void) {
    size_t frame = epitaph_signal_frame_bytes();
    if (frame < least_frame_bytes) frame = least_frame_bytes;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (frame + handler_stack_bytes + page - 1) / page * page;
}
