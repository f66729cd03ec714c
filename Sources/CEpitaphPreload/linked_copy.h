// SPDX-License-Identifier: Apache-2.0
//
// Whether the program was built with Epitaph.

#ifndef EPITAPH_PRELOAD_LINKED_COPY_H
#define EPITAPH_PRELOAD_LINKED_COPY_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether Epitaph is in the program or in one of its libraries, besides this one.
bool epitaph_preload_finds_linked_copy(void);

#pragma GCC visibility pop

#endif
