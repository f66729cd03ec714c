// SPDX-License-Identifier: Apache-2.0
//
// The directory of pending dumps. Internal to the package.

#ifndef EPITAPH_PENDING_DIRECTORY_H
#define EPITAPH_PENDING_DIRECTORY_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. A descriptor of the directory of pending dumps that was just proven, opened again by
/// its path if the program has closed it. A negative errno if it cannot be reached: removed, or
/// behind a chroot(2). The settings own the descriptor.
int epitaph_pending_directory(void);

/// ANY-TIME. Gives a file that was just made in the pending directory to the directory's owner, if
/// that is another user, and lets the directory's group read it, if the program wants that.
/// `is_read_only`: nobody is to open it for writing.
void epitaph_pending_set_rights(int fd, bool is_read_only);

#pragma GCC visibility pop

#endif
