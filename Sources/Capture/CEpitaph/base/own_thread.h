// SPDX-License-Identifier: Apache-2.0
//
// Threads and handlers of our own in a program that is not ours, and the library they need.
// QUIET-TIME.

#ifndef EPITAPH_BASE_OWN_THREAD_H
#define EPITAPH_BASE_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// pthread_create(3) of a thread to be joined. What is sent to the process is for the program's own
/// threads, so the new one blocks every signal but faults and the one that stops threads.
/// `stack_bytes` is 0 for the usual size. Returns 0 or an errno.
int epitaph_own_thread_make(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
                            void *argument);

/// Fills a set with all signals but these, epitaph_signal_set.h: for masks of threads and handlers
/// of ours.
void epitaph_signals_fill_but(sigset_t *set, uint64_t signals);

/// Keeps the object that contains this library loaded until the process ends, even after
/// dlclose(3): handlers, destructors of keys and stacks refer to it. Harmless to repeat.
void epitaph_library_pin(void);

#pragma GCC visibility pop

#endif
