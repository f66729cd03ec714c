// SPDX-License-Identifier: Apache-2.0
//
// Our signal actions, the ones they replaced, and breadcrumbs for signals. Internal to the package.

#ifndef EPITAPH_SIGNALS_H
#define EPITAPH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Keeps the current action, made by libc, as the pattern for actions made without libc.
void epitaph_signal_copy_pattern(int signal);
/// ANY-TIME. Installs our handler for `signal` by libc's pattern. Returns 0 or a negative errno.
long epitaph_signal_install_own(int signal);
/// ANY-TIME, before the program installs a filter, which may refuse sigaction(2) from then on: has
/// the kernel restore the default action of each signal that is sent and that the program does not
/// handle as it delivers it.
void epitaph_signals_reset_themselves(void);
/// ANY-TIME. Restores the later or else the previous action, if the current one is still ours.
void epitaph_signal_restore(int signal);

/// ANY-TIME. Whether the current action is not ours, and its handler (SIG_DFL is 0, SIG_IGN is 1).
bool epitaph_signal_is_displaced(int signal, uint64_t *handler);

// A signal's previous action, from before ours, and its later one, which displaced ours.

/// ANY-TIME. Remembers the current action of `signal` as its previous one, to pass the signal on
/// to. Returns 1, 0 if the signal is ignored and must stay so, or a negative errno.
long epitaph_signal_remember_previous(int signal);

/// ANY-TIME. Address of the previous action's handler; 0 for the default action.
uint64_t epitaph_signal_previous_handler(int signal);

/// QUIET-TIME. Remembers the current action, which displaced ours, as the later one: the signal is
/// passed on to it first, and to the previous one if it passes it back. The caller reinstalls our
/// handler. Returns the same as `epitaph_signal_remember_previous`.
long epitaph_signal_remember_later(int signal);

/// QUIET-TIME. Passes the signal on to the previous action only.
void epitaph_signal_forget_later(int signal);

enum {
    EPITAPH_SIGNAL_NOTE_SIZE = 64,
};

#define EPITAPH_SIGNAL_NOTE_CATEGORY "signal"

/// ANY-TIME. Writes "SIGTERM came from process 4711" into `text`, which has
/// EPITAPH_SIGNAL_NOTE_SIZE bytes; without a sender if `sender_pid` is 0. Returns its length.
size_t epitaph_signal_note_words(char *text, int signal, int32_t sender_pid);

/// CRASH-TIME. Adds a breadcrumb for a signal that ends the process.
void epitaph_signal_note_put(int signal, const siginfo_t *info);

#pragma GCC visibility pop

#endif
