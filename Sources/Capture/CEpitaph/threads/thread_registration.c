// SPDX-License-Identifier: Apache-2.0
//
// Registers threads for the capture that were not made with our pthread_create(3).

#include "threads/alternate_stack.h"

#include "epitaph.h"

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
