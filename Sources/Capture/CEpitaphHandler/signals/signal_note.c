// SPDX-License-Identifier: Apache-2.0
//
// The text of a received signal, and its breadcrumb without libc.

#include "epitaph_signals.h"

#include "epitaph_settings.h"
#include "signals/actions.h"

#include <time.h>

size_t epitaph_signal_note_words(char *text, int signal, int32_t sender_pid) {
    size_t length = 0;
    const char *name = epitaph_signal_name(signal);
    if (name != NULL) {
        epitaph_text_append(text, EPITAPH_SIGNAL_NOTE_SIZE, &length, name);
    } else {
        epitaph_text_append(text, EPITAPH_SIGNAL_NOTE_SIZE, &length, "signal ");
        epitaph_text_append_number(text, EPITAPH_SIGNAL_NOTE_SIZE, &length, (uint32_t)signal);
    }
    epitaph_text_append(text, EPITAPH_SIGNAL_NOTE_SIZE, &length, " came");
    if (sender_pid > 0) {
        epitaph_text_append(text, EPITAPH_SIGNAL_NOTE_SIZE, &length, " from process ");
        epitaph_text_append_number(text, EPITAPH_SIGNAL_NOTE_SIZE, &length, (uint32_t)sender_pid);
    }
    return length;
}

// Assigns single fields: an initialiser would call memset(3).
void epitaph_signal_note_put(int signal, const siginfo_t *info) {
    static const char category[] = EPITAPH_SIGNAL_NOTE_CATEGORY;
    char words[EPITAPH_SIGNAL_NOTE_SIZE];
    epitaph_breadcrumb_ring *ring =
        __atomic_load_n(&epitaph_capture_settings_now.breadcrumbs, __ATOMIC_ACQUIRE);
    epitaph_new_breadcrumb breadcrumb;
    breadcrumb.time_ns = epitaph_sys_clock_ns(CLOCK_REALTIME);
    breadcrumb.monotonic_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    breadcrumb.level = EPITAPH_BREADCRUMB_INFO;
    breadcrumb.category = category;
    breadcrumb.category_bytes = sizeof category - 1;
    breadcrumb.message = words;
    breadcrumb.message_bytes =
        epitaph_signal_note_words(words, signal, epitaph_signal_values_of(signal, info).sender_pid);
    breadcrumb.attributes = NULL;
    breadcrumb.attribute_bytes = 0;
    breadcrumb.has_cut_attributes = false;
    breadcrumb.process_number = 0;
    if (ring != NULL) epitaph_breadcrumb_ring_put(ring, &breadcrumb);
    epitaph_breadcrumb_file_put(&breadcrumb);
}
