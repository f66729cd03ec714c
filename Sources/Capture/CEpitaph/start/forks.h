// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_START_FORKS_H
#define EPITAPH_START_FORKS_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Gives later children of a process that may drop privileges dump files of their own
/// in place of inherited ones. Idempotent.
void epitaph_forks_watch(void);

/// QUIET-TIME. What fork(3) calls, for who makes a child past it: before the call, and then in
/// parent, also if there is no child, and child. They keep errno.
void epitaph_fork_prepare(void);
void epitaph_fork_go_on_in_parent(void);
void epitaph_fork_begin_in_child(void);

/// QUIET-TIME. The process is about to become another user for good: its later children cannot make
/// files in a directory of its present one's. Waits for nothing, and does nothing where there is
/// nothing to do.
void epitaph_user_change_prepare(void);

#pragma GCC visibility pop

#endif
