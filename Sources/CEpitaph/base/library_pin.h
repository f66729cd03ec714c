// SPDX-License-Identifier: Apache-2.0
//
// Keeping this library in the process. QUIET-TIME.

#ifndef EPITAPH_BASE_LIBRARY_PIN_H
#define EPITAPH_BASE_LIBRARY_PIN_H

#pragma GCC visibility push(hidden)

/// Keeps the object this library is in where it is until the process ends, whatever dlclose(3) is
/// asked: handlers, destructors of keys and stacks lead into it. Harmless to repeat.
void epitaph_library_pin(void);

#pragma GCC visibility pop

#endif
