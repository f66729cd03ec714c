// SPDX-License-Identifier: Apache-2.0
//
// Alternate stacks for threads that already exist. Only a thread itself can set its alternate
// stack, and sigaltstack(2) inside a handler is undone when the handler returns, because the kernel
// then restores what the handler's `uc_stack` says. So each thread is sent a signal whose handler
// writes there. Internal to the package.

#ifndef EPITAPH_THREADS_H
#define EPITAPH_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_STACK_OFFER_LIMIT = 4096 };

typedef enum epitaph_stack_offer_state {
    EPITAPH_STACK_FREE,
    /// The signal was sent.
    EPITAPH_STACK_OFFERED,
    /// The thread uses the stack.
    EPITAPH_STACK_ACCEPTED,
    /// The thread had one that is as large.
    EPITAPH_STACK_DECLINED,
} epitaph_stack_offer_state;

typedef struct epitaph_stack_offer {
    int32_t tid;
    /// An `epitaph_stack_offer_state`. From OFFERED on only the thread changes it, until it ends.
    uint32_t state;
    /// 1 until the thread has received the signal it was sent.
    uint32_t is_due;
    void *memory;
    size_t size;
} epitaph_stack_offer;

typedef struct epitaph_stack_offers {
    /// Entries ever used; written at quiet time by one thread.
    uint32_t count;
    /// Offers without a result; the quiet-time code waits on it.
    uint32_t open_count;
    epitaph_stack_offer entries[EPITAPH_STACK_OFFER_LIMIT];
} epitaph_stack_offers;

extern epitaph_stack_offers epitaph_stack_offers_now;

/// QUIET-TIME. Takes the stop signal, once a crash handler is installed; false if that fails, or if
/// earlier offers are still open.
bool epitaph_stack_offers_begin(void);

/// QUIET-TIME. Offers `memory` to a thread by sending it the stop signal. False if there is no such
/// thread or no room; then the memory belongs to the caller again.
bool epitaph_stack_offer_make(int32_t tid, void *memory, size_t size);

/// QUIET-TIME. Waits until no offer is open, at most `timeout_ns`.
void epitaph_stack_offers_wait(uint64_t timeout_ns);

/// QUIET-TIME. Restores the stop signal's previous action, now or once the last offer is settled.
void epitaph_stack_offers_end(void);

/// QUIET-TIME. Whether no thread uses the memory of this offer, because its thread declined it or
/// has ended. If so, the entry is free again and the memory belongs to the caller. Never true in a
/// forked child, whose thread may be using it.
bool epitaph_stack_offer_reclaim(epitaph_stack_offer *offer);

#pragma GCC visibility pop

#endif
