// SPDX-License-Identifier: Apache-2.0
//
// Which thread captures: one at a time. ANY-TIME.

#ifndef EPITAPH_OWNER_H
#define EPITAPH_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum epitaph_owner_claim_result {
    EPITAPH_OWNER_IS_NEW,
    /// The calling thread is capturing: its handler was hit.
    EPITAPH_OWNER_IS_SELF,
    EPITAPH_OWNER_IS_OTHER,
} epitaph_owner_claim_result;

/// Becomes the owner if there is none. Waits up to two seconds for a capture of another process
/// that may share this one's memory.
epitaph_owner_claim_result epitaph_owner_try_claim(void);

/// The same, waiting up to `timeout_ns` for another to let go. False when it did not, or when the
/// calling thread is the owner.
bool epitaph_owner_claim(uint64_t timeout_ns);

bool epitaph_owner_is_set(void);
bool epitaph_owner_is_self(void);
void epitaph_owner_release(void);

#pragma GCC visibility pop

#endif
