// SPDX-License-Identifier: Apache-2.0
//
// The directory of pending dumps. Internal to the package.

#ifndef EPITAPH_PENDING_DIRECTORY_H
#define EPITAPH_PENDING_DIRECTORY_H

#pragma GCC visibility push(hidden)

/// ANY-TIME. A descriptor of the directory of pending dumps that was proven just now, opened again
/// by its path if the program has closed it. A negative errno when it is out of reach: removed, or
/// behind a chroot(2). The descriptor stays the settings'.
int epitaph_pending_directory(void);

/// ANY-TIME. Makes a file that was just made in the pending directory its owner's, if that is not
/// us.
void epitaph_pending_give_to_owner(int fd);

#pragma GCC visibility pop

#endif
