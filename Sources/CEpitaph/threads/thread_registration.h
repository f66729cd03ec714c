// SPDX-License-Identifier: Apache-2.0
//
// Threads made known to the capture.

#ifndef EPITAPH_THREADS_THREAD_REGISTRATION_H
#define EPITAPH_THREADS_THREAD_REGISTRATION_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Makes the calling thread known to the capture until it ends, so that it is found
/// where there is no /proc. Harmless to repeat.
void epitaph_thread_register(void);

#pragma GCC visibility pop

#endif
