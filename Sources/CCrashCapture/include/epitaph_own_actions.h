// SPDX-License-Identifier: Apache-2.0
//
// Our own handler as a signal's action: made, installed, recognised. Internal to the package.

#ifndef EPITAPH_OWN_ACTIONS_H
#define EPITAPH_OWN_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
