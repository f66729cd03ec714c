// SPDX-License-Identifier: Apache-2.0
//
// The breadcrumb file made, and left. Internal to the package.

#ifndef EPITAPH_BREADCRUMB_FILE_MAKING_H
#define EPITAPH_BREADCRUMB_FILE_MAKING_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Makes a breadcrumb file of `bytes` in the pending directory, whose name has `uuid`,
/// and has breadcrumbs written there. Returns 0 or a negative errno, -ENOTSUP on a file system that
/// does not store in place: then there is none. A process has one at a time.
long epitaph_breadcrumb_file_make(size_t bytes, const uint8_t uuid[16]);

/// QUIET-TIME. No breadcrumbs are written from now on. The file stays, and its mapping, for a
/// thread may be writing just now.
void epitaph_breadcrumb_file_leave(void);

/// QUIET-TIME. The same for a file that nobody is to find: its name goes.
void epitaph_breadcrumb_file_discard(void);

#pragma GCC visibility pop

#endif
