// SPDX-License-Identifier: Apache-2.0
//
// Dump files for forked children of a process that may become another user.

#ifndef EPITAPH_START_FORKS_H
#define EPITAPH_START_FORKS_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. From now on the children of a process that may give up its rights get dump files of
/// their own, and lose those inherited from their parent. Harmless to repeat.
void epitaph_forks_watch(void);

#pragma GCC visibility pop

#endif
