// SPDX-License-Identifier: Apache-2.0
//
// Registers threads for the capture.

#ifndef EPITAPH_THREADS_THREAD_REGISTRATION_H
#define EPITAPH_THREADS_THREAD_REGISTRATION_H

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Registers the calling thread for the capture until it ends, so that it is found even
/// without /proc. Harmless to repeat.
void epitaph_thread_register(void);

#pragma GCC visibility pop

#endif
