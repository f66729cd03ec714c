// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_START_FORKS_H
#define EPITAPH_START_FORKS_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Gives later children of a process that may drop privileges dump files of their own
/// in place of inherited ones. Idempotent.
void epitaph_forks_watch(void);

/// QUIET-TIME. What fork(3) calls, for code that forks without it: before the call, and then in the
/// child. They keep errno.
void epitaph_fork_prepare(void);
void epitaph_fork_begin_in_child(void);

typedef enum epitaph_rights_change {
    /// For good, or back and forth.
    EPITAPH_USER_CHANGES,
    EPITAPH_RIGHTS_ARE_SET_ASIDE,
    /// The rights stay, but files may be out of reach: a filter, chroot(2).
    EPITAPH_REACH_CHANGES,
} epitaph_rights_change;

/// QUIET-TIME. The process is about to lose what it needs to make files in a directory of its
/// present user's. Never waits. May be called when there is nothing to do.
void epitaph_rights_change_prepare(epitaph_rights_change change);

/// QUIET-TIME. The function above is called before each such change, so that a forked child need
/// not make its file before.
void epitaph_rights_changes_are_told(void);

#pragma GCC visibility pop

#endif
