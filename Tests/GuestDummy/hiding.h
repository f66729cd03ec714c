// SPDX-License-Identifier: Apache-2.0

#ifndef HIDING_H
#define HIDING_H

/// Does what daemons do after their start, and opens the program's own files. Returns 0 when there
/// is no way of this name: none, closefrom, loop, dup2, append, closed, daemon, double-fork, drop,
/// drop-fork, chroot, drop-close, chroot-close.
int hide(const char *way, const char *jail);

/// Gives up root's rights, where there are any.
void become_nobody(void);

#endif
