// SPDX-License-Identifier: Apache-2.0
//
// Alternate stacks for threads that exist when Epitaph starts. QUIET-TIME.

#ifndef EPITAPH_THREADS_EXISTING_THREADS_H
#define EPITAPH_THREADS_EXISTING_THREADS_H

#pragma GCC visibility push(hidden)

/// Offers every other thread of the process an alternate stack, once in the process's life. Waits a
/// limited time for them to take it.
void epitaph_existing_threads_prepare(void);

/// Frees one such stack if its thread has ended. Cheap; called from time to time.
void epitaph_existing_threads_collect(void);

#pragma GCC visibility pop

#endif
