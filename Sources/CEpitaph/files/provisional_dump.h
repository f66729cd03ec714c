// SPDX-License-Identifier: Apache-2.0
//
// The provisional dump as the rest of this library throws it away. QUIET-TIME.

#ifndef EPITAPH_FILES_PROVISIONAL_DUMP_H
#define EPITAPH_FILES_PROVISIONAL_DUMP_H

#pragma GCC visibility push(hidden)

/// What epitaph_provisional_dump_discard does. In a shared library a call of that would go through
/// the loader.
void epitaph_provisional_dump_drop(void);

#pragma GCC visibility pop

#endif
