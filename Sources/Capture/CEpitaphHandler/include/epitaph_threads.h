// SPDX-License-Identifier: Apache-2.0
//
// Alternate stacks for existing threads. Only a thread itself can set its alternate stack, and
// sigaltstack(2) inside a handler is undone on return, because the kernel restores the handler's
// `uc_stack`. So each thread gets a signal whose handler writes there. Internal to the package.

#ifndef EPITAPH_THREADS_H
#define EPITAPH_THREADS_H

#include "epitaph_offered_stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Whether the offers were made to threads of this process, and not to its parent's.
bool epitaph_stack_offers_are_of(int32_t pid);

/// QUIET-TIME. Takes the stop signal; a crash handler must be installed. False if offers are open.
bool epitaph_stack_offers_begin(void);

/// QUIET-TIME. Offers `memory` to a thread by sending it the stop signal. If there is no such
/// thread or no room, returns false and the caller keeps the memory.
bool epitaph_stack_offer_make(int32_t tid, void *memory, size_t size);

/// QUIET-TIME. Waits up to `timeout_ns` until no offer is open.
void epitaph_stack_offers_wait(uint64_t timeout_ns);

/// QUIET-TIME. Restores the stop signal's previous action, now or once the last offer is settled.
void epitaph_stack_offers_end(void);

/// QUIET-TIME. Whether no thread uses the offer's memory: declined, or the thread ended. If so,
/// frees the entry and returns the memory. Never true in a forked child, which may be using it.
bool epitaph_stack_offer_reclaim(epitaph_stack_offer *offer);

/// ANY-TIME. The innermost scope of the task that the calling thread runs, or of the thread; false
/// if there is none or nothing proves which one it is.
bool epitaph_own_scope_find(uint64_t thread_pointer, int32_t tid, uint64_t *token);

#pragma GCC visibility pop

#endif
