// SPDX-License-Identifier: Apache-2.0
//
// Keeping this library in the process. QUIET-TIME.

#ifndef EPITAPH_BASE_LIBRARY_PIN_H
#define EPITAPH_BASE_LIBRARY_PIN_H

#pragma GCC visibility push(hidden)

/// Keeps the object that contains this library loaded until the process ends, even after
/// dlclose(3): handlers, destructors of keys and stacks refer to it. Harmless to repeat.
void epitaph_library_pin(void);

#pragma GCC visibility pop

#endif
