// SPDX-License-Identifier: Apache-2.0
//
// Our pthread_create(3): which threads it affects.

#ifndef EPITAPH_THREADS_THREAD_START_H
#define EPITAPH_THREADS_THREAD_START_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Threads made from now on get alternate stacks; with false they no longer do, and
/// pthread_create(3) does what it does without us. Existing threads are left as they are.
///
/// This call is also what makes the linker take our pthread_create(3) from a static library.
void epitaph_threads_watch(bool watches);

#pragma GCC visibility pop

#endif
