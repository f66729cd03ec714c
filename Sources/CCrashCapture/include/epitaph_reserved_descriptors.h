// SPDX-License-Identifier: Apache-2.0
//
// Descriptors held in reserve, so that a process with a full descriptor table can open files while
// it dies. Internal to the package.

#ifndef EPITAPH_RESERVED_DESCRIPTORS_H
#define EPITAPH_RESERVED_DESCRIPTORS_H

#pragma GCC visibility push(hidden)

/// ANY-TIME. Opens the descriptors held in reserve; those that cannot be opened are -1.
void epitaph_reserve_descriptors(void);
/// ANY-TIME. Closes them.
void epitaph_release_descriptors(void);

#pragma GCC visibility pop

#endif
