// SPDX-License-Identifier: Apache-2.0
//
// That a signal came, as a breadcrumb. Internal to the package.

#ifndef EPITAPH_SIGNAL_NOTE_H
#define EPITAPH_SIGNAL_NOTE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// Room for the longest words, and NUL.
    EPITAPH_SIGNAL_NOTE_SIZE = 64,
};

/// What such a breadcrumb is about.
#define EPITAPH_SIGNAL_NOTE_CATEGORY "signal"

/// ANY-TIME. Writes "SIGTERM came from process 4711" into `text`, which has
/// EPITAPH_SIGNAL_NOTE_SIZE bytes; without a sender if `sender_pid` is 0. Returns its length.
size_t epitaph_signal_note_words(char *text, int signal, int32_t sender_pid);

/// CRASH-TIME. Adds the breadcrumb of a signal that ends the process.
void epitaph_signal_note_put(int signal, const siginfo_t *info);

#pragma GCC visibility pop

#endif
