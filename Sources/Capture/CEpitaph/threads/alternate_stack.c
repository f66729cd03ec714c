// SPDX-License-Identifier: Apache-2.0
//
// Without an alternate stack a thread whose stack overflows dies silently.

#include "threads/alternate_stack.h"

#include "epitaph_settings.h"

#include <sys/auxv.h>
#include <unistd.h>

int epitaph_alternate_stack_install(void) {
    stack_t present;
    if (epitaph_real_sigaltstack(NULL, &present) != 0) return -1;
    size_t size = epitaph_alternate_stack_size();
    if ((present.ss_flags & SS_DISABLE) == 0 && present.ss_size >= size) return 0;
    if ((present.ss_flags & SS_ONSTACK) != 0) return -1;
    epitaph_thread_places_begin();
    epitaph_thread_place *place = epitaph_thread_place_make(size);
    if (place == NULL) return -1;
    bool replaces_stack = (present.ss_flags & SS_DISABLE) == 0;
    place->program_start = (uint64_t)present.ss_sp;
    place->program_bytes = replaces_stack ? present.ss_size : 0;
    // From an earlier call, without a stack or with one that the program replaced.
    epitaph_thread_place_leave();
    stack_t stack = {.ss_sp = place->stack, .ss_size = size};
    if (epitaph_real_sigaltstack(&stack, NULL) != 0) {
        epitaph_thread_place_free(place);
        return -1;
    }
    epitaph_thread_place_occupy(place, size);
    epitaph_thread_place_watch(place);
    return 0;
}
