// SPDX-License-Identifier: Apache-2.0
//
// Alternate stacks for threads that exist when Epitaph starts. QUIET-TIME.

#ifndef EPITAPH_THREADS_EXISTING_THREADS_H
#define EPITAPH_THREADS_EXISTING_THREADS_H

#pragma GCC visibility push(hidden)

/// Offers every other thread of the process an alternate stack, once in the process's life. Waits a
/// bounded time for their answers.
void epitaph_existing_threads_prepare(void);

/// Gives the memory of one such stack back if its thread has ended. Cheap; called now and then.
void epitaph_existing_threads_collect(void);

#pragma GCC visibility pop

#endif
