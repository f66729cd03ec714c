// SPDX-License-Identifier: Apache-2.0
//
// Faults stay unblocked in the handler, because its own must reach it, and so do signals of the
// same numbers that a process sends. Until a thread owns the capture, this is how a second one
// finds out that it has interrupted the first.

#include "capture/capture.h"

#include "epitaph_process.h"

/// More than the handler uses before it captures.
enum { REACH = 16 << 10 };

static const uint64_t token_pattern = 0x6172726976616c21;

static uint64_t token_at(const epitaph_arrival_mark *mark) {
    return token_pattern ^ (uint64_t)mark;
}

void epitaph_arrival_note(epitaph_arrival_mark *mark, int signal) {
    epitaph_process_page *page = epitaph_process_page_now;
    mark->place = NULL;
    mark->token = token_at(mark);
    mark->signal = signal;
    for (int i = 0; page != NULL && mark->place == NULL && i < EPITAPH_ARRIVAL_COUNT; i++) {
        uint64_t nobody = 0;
        if (__atomic_compare_exchange_n(&page->arrivals[i], &nobody, (uint64_t)mark, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            mark->place = &page->arrivals[i];
        }
    }
}

void epitaph_arrival_forget(epitaph_arrival_mark *mark) {
    if (mark->place != NULL) __atomic_store_n(mark->place, 0, __ATOMIC_RELEASE);
    mark->place = NULL;
    mark->token = 0;
}

int epitaph_arrival_interrupted(const ucontext_t *context) {
    const epitaph_process_page *page = epitaph_process_page_now;
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    for (int i = 0; page != NULL && i < EPITAPH_ARRIVAL_COUNT; i++) {
        uint64_t place = __atomic_load_n(&page->arrivals[i], __ATOMIC_ACQUIRE);
        // On the same stack. A child of vfork(2) may have died and left its own mark behind, where
        // its parent's stack is written again.
        if (stack_pointer >= place || place - stack_pointer > REACH) continue;
        const epitaph_arrival_mark *mark = (const epitaph_arrival_mark *)place;
        if (mark->token == token_at(mark)) return mark->signal;
    }
    return 0;
}
