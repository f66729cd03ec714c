// SPDX-License-Identifier: Apache-2.0
//
// The size of the alternate stacks that we provide.

#include "threads/alternate_stack.h"

#include <sys/auxv.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/// Needs of our handler besides the kernel's frame, nested once. Tests run the deepest path on a
/// stack of this size above a guard page.
static const size_t handler_stack_bytes = 64 << 10;

static const size_t least_frame_bytes = 4096;

/// The kernel's frame: 3 KiB with AVX-512, 11 KiB with AMX, more with SVE. getauxval(3)
size_t epitaph_alternate_stack_size(void) {
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    if (frame < least_frame_bytes) frame = least_frame_bytes;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (frame + handler_stack_bytes + page - 1) / page * page;
}
