// SPDX-License-Identifier: Apache-2.0
//
// Which scope a thread is in. CRASH-TIME.

#ifndef EPITAPH_THREADS_CURRENT_SCOPE_H
#define EPITAPH_THREADS_CURRENT_SCOPE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum epitaph_scope_search {
    EPITAPH_SCOPE_NONE,
    EPITAPH_SCOPE_FOUND,
    /// It is in one for which there was no place.
    EPITAPH_SCOPE_HAS_NO_PLACE,
    /// It may be in one, and nothing proves which.
    EPITAPH_SCOPE_NOT_KNOWN,
} epitaph_scope_search;

/// The innermost scope of a thread that stands still, by its thread pointer, which may be 0, and
/// its id.
epitaph_scope_search epitaph_current_scope_find(uint64_t thread_pointer, int32_t tid,
                                                uint64_t *token);

#pragma GCC visibility pop

#endif
