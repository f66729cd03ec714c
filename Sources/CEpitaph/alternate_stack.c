// SPDX-License-Identifier: Apache-2.0
//
// Alternate signal stacks: without one a thread whose stack has overflowed dies silently.

#include "alternate_stack.h"

#include "internal.h"
#include "thread_places.h"
#include "thread_registration.h"

#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/// What our handler needs besides the frame the kernel makes, nested once. `Scripts/bench` does not
/// measure this; the deepest path is checked in the tests with a stack of this size and a guard
/// page below.
static const size_t handler_stack_bytes = 64 << 10;
static const size_t least_frame_bytes = 4096;

/// The kernel's frame holds all vector registers: 3 KiB with AVX-512, 11 KiB with AMX, more with
/// SVE. getauxval(3)
size_t epitaph_alternate_stack_size(void) {
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    if (frame < least_frame_bytes) frame = least_frame_bytes;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (frame + handler_stack_bytes + page - 1) / page * page;
}

int epitaph_alternate_stack_install(void) {
    stack_t present;
    if (sigaltstack(NULL, &present) != 0) return -1;
    size_t size = epitaph_alternate_stack_size();
    if ((present.ss_flags & SS_DISABLE) == 0 && present.ss_size >= size) return 0;
    if ((present.ss_flags & SS_ONSTACK) != 0) return -1;
    epitaph_thread_places_begin();
    epitaph_thread_place *place = epitaph_thread_place_make(size);
    if (place == NULL) return -1;
    // Of an earlier time, without a stack or with one that the program exchanged for its own.
    epitaph_thread_place_leave();
    stack_t stack = {.ss_sp = place->stack, .ss_size = size};
    if (sigaltstack(&stack, NULL) != 0) {
        epitaph_thread_place_free(place);
        return -1;
    }
    epitaph_thread_place_occupy(place, size);
    epitaph_thread_place_watch(place);
    return 0;
}

void epitaph_thread_register(void) {
    if (epitaph_thread_place_find() != NULL) return;
    epitaph_thread_places_begin();
    epitaph_thread_place *place = epitaph_thread_place_make(0);
    if (place == NULL) return;
    epitaph_thread_place_occupy(place, 0);
    epitaph_thread_place_watch(place);
}

epitaph_status epitaph_thread_prepare(void) {
    if (epitaph_alternate_stack_install() != 0) {
        epitaph_thread_register();
        return EPITAPH_SYSTEM_ERROR;
    }
    epitaph_thread_register();
    return EPITAPH_OK;
}
