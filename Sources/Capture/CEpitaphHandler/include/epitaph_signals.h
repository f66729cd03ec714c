// SPDX-License-Identifier: Apache-2.0
//
// Our own actions, those before them, and that a signal came. Internal to the package.

#ifndef EPITAPH_SIGNALS_H
#define EPITAPH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Our own handler as a signal's action: made, installed, recognised.

/// ANY-TIME. Keeps the current action of `signal`, which libc has installed, as the pattern for
/// actions that are installed without libc.
void epitaph_signal_copy_pattern(int signal);
/// ANY-TIME. Installs our handler for `signal`, following libc's pattern. Returns 0 or a negative
/// errno.
long epitaph_signal_install_own(int signal);
/// ANY-TIME. Restores the next action, the later or the previous one, if the current one is still
/// ours.
void epitaph_signal_restore(int signal);

/// ANY-TIME. Whether the current action of `signal` is not ours, and if so the address of its
/// handler (SIG_DFL and SIG_IGN are 0 and 1).
bool epitaph_signal_is_displaced(int signal, uint64_t *handler);

// The actions a signal had: the previous one, before ours, and the later one, which displaced ours.

/// ANY-TIME. Remembers the current action of `signal` as its previous one, to which the signal will
/// be passed on. Returns 1, or 0 if the signal is ignored and must stay so, or a negative errno.
long epitaph_signal_remember_previous(int signal);

/// ANY-TIME. The address of the previous action's handler function; 0 for the default action.
uint64_t epitaph_signal_previous_handler(int signal);

/// QUIET-TIME. Remembers the current action of `signal`, which has displaced our handler, as the
/// later one: the signal is passed on to it first, and to the previous one when its handler passes
/// it back to us. Results as those of `epitaph_signal_remember_previous`. The caller installs our
/// handler.
long epitaph_signal_remember_later(int signal);

/// QUIET-TIME. From now on the signal is passed on to the previous action only.
void epitaph_signal_forget_later(int signal);

// A breadcrumb for each signal that came.

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
