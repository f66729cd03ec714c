// SPDX-License-Identifier: Apache-2.0
//
// Our pthread_create(3): which threads come through it.

#ifndef EPITAPH_THREADS_THREAD_START_H
#define EPITAPH_THREADS_THREAD_START_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Threads made from now on get alternate stacks, or no longer do: then
/// pthread_create(3) does what it does without us. Those that exist are left as they are.
///
/// The call is also what has the linker take our pthread_create(3) from a static library.
void epitaph_threads_watch(bool watches);

#pragma GCC visibility pop

#endif
