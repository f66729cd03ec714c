// SPDX-License-Identifier: Apache-2.0
//
// The directory of pending dumps. Internal to the package.

#ifndef EPITAPH_PENDING_DIRECTORY_H
#define EPITAPH_PENDING_DIRECTORY_H

#pragma GCC visibility push(hidden)

/// ANY-TIME. A descriptor of the directory of pending dumps that was just proven, opened again by
/// its path if the program has closed it. A negative errno if it cannot be reached: removed, or
/// behind a chroot(2). The settings own the descriptor.
int epitaph_pending_directory(void);

/// ANY-TIME. Gives a file that was just made in the pending directory to the directory's owner, if
/// that is another user.
void epitaph_pending_give_to_owner(int fd);

#pragma GCC visibility pop

#endif
