// SPDX-License-Identifier: Apache-2.0
//
// Threads of Epitaph's own in a program that is not ours. QUIET-TIME.

#ifndef EPITAPH_BASE_OWN_THREAD_H
#define EPITAPH_BASE_OWN_THREAD_H

#include <pthread.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// pthread_create(3) of a thread to be joined. What is sent to the process is for the program's own
/// threads, so the new one blocks every signal but faults and the one that stops threads.
/// `stack_bytes` is 0 for the usual size. Returns 0 or an errno.
int epitaph_own_thread_make(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
                            void *argument);

#pragma GCC visibility pop

#endif
