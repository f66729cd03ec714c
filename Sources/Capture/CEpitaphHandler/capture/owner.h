// SPDX-License-Identifier: Apache-2.0
//
// Which thread captures: one at a time. ANY-TIME.

#ifndef EPITAPH_CAPTURE_OWNER_H
#define EPITAPH_CAPTURE_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

typedef enum epitaph_owner_claim_result {
    EPITAPH_OWNER_IS_NEW,
    /// The calling thread is capturing.
    EPITAPH_OWNER_IS_SELF,
    EPITAPH_OWNER_IS_OTHER,
} epitaph_owner_claim_result;

/// Becomes the owner if there is none. Waits up to two seconds for a capture of another process
/// that may share this one's memory.
epitaph_owner_claim_result epitaph_owner_try_claim(void);

/// The same for a live dump, waiting up to `timeout_ns` for another capture. A waiting crash goes
/// first. False if that takes too long, or if the calling thread is the owner.
bool epitaph_owner_claim(uint64_t timeout_ns);

/// The same without a system call, for the process that armed the file; false if there is an owner.
bool epitaph_owner_claim_silently(void);

/// Announces a crash that has to wait: a live dump then ends early.
void epitaph_owner_add_waiter(void);
void epitaph_owner_remove_waiter(void);
bool epitaph_owner_is_awaited(void);

/// The owner records on which stack it captures: code interrupted there is the capture itself. No
/// system call is needed to find that out.
void epitaph_owner_note_stack(const ucontext_t *context, const void *frame);
/// Whether `context` is that of an interrupted capture.
bool epitaph_owner_is_interrupted(const ucontext_t *context);

bool epitaph_owner_is_set(void);
void epitaph_owner_release(void);

#pragma GCC visibility pop

#endif
