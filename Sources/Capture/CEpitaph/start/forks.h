// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_START_FORKS_H
#define EPITAPH_START_FORKS_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Gives later children of a process that may drop privileges dump files of their own
/// in place of inherited ones. Idempotent.
void epitaph_forks_watch(void);

#pragma GCC visibility pop

#endif
