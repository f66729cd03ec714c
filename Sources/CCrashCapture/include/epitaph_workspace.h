// SPDX-License-Identifier: Apache-2.0
//
// The memory a capture works in, allocated at the start. Internal to the package.

#ifndef EPITAPH_WORKSPACE_H
#define EPITAPH_WORKSPACE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. The size of the memory a capture works in, and the function that sets its address.
/// It must be zeroed, private and page-aligned.
size_t epitaph_capture_workspace_size(void);
void epitaph_capture_workspace_set(void *workspace);

#pragma GCC visibility pop

#endif
