// SPDX-License-Identifier: Apache-2.0
//
// Virtual signal actions: the program sees and changes the actions it would have without us, and
// our handler stays in force before them. Internal to the package.

#ifndef EPITAPH_VIRTUAL_ACTIONS_H
#define EPITAPH_VIRTUAL_ACTIONS_H

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Does what sigaction(2) does, for a signal of which our handler is in force: `action`
/// becomes the one to which the signal is passed on. Either may be NULL.
///
/// Returns false, and has done nothing, where sigaction(2) is to be called instead: another signal,
/// a child of vfork(2), which shares this memory but not its signal actions, or a filter that the
/// program has installed, which may forbid the other system calls that this takes.
bool epitaph_virtual_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/// ANY-TIME. Replaces what sigaction(2) said of `signal` by what it would say without us, if it
/// named a handler of ours.
void epitaph_virtual_action_hide(int signal, struct sigaction *old);

/// ANY-TIME. Whether the kernel does with `signal` what the program wants, without our handler:
/// ignores it, or calls a handler although the signal is no crash for who handles it. Our handler
/// comes back with the default action.
bool epitaph_virtual_action_is_left(int signal);

#pragma GCC visibility pop

#endif
