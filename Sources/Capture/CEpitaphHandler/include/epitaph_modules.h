// SPDX-License-Identifier: Apache-2.0
//
// What is read about the executable before any crash. Internal to the package.

#ifndef EPITAPH_MODULES_H
#define EPITAPH_MODULES_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Reads what a crash will write about the executable without reading anything. Needs
/// the process facts.
void epitaph_executable_prepare(void);

#pragma GCC visibility pop

#endif
