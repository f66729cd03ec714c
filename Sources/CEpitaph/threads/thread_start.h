// SPDX-License-Identifier: Apache-2.0
//
// Our pthread_create(3): which threads come through it.

#ifndef EPITAPH_THREADS_THREAD_START_H
#define EPITAPH_THREADS_THREAD_START_H

#pragma GCC visibility push(hidden)

/// Which threads come through our pthread_create(3).
typedef enum epitaph_thread_coverage {
    EPITAPH_THREADS_ALL,
    /// Those the program itself makes, not those of libraries: our definition is not among the
    /// program's dynamic symbols.
    EPITAPH_THREADS_OF_PROGRAM,
    /// None: this library was loaded with dlopen(3), or libc comes before it.
    EPITAPH_THREADS_NONE,
} epitaph_thread_coverage;

/// QUIET-TIME. Threads made from now on get alternate stacks, or no longer do: then
/// pthread_create(3) does what it does without us. Those that exist are left as they are.
///
/// The call is also what has the linker take our pthread_create(3) from a static library.
void epitaph_threads_watch(int watches);

/// QUIET-TIME. What the loader and the linker made of our definition.
epitaph_thread_coverage epitaph_threads_covered(void);

#pragma GCC visibility pop

#endif
