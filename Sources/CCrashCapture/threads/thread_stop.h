// SPDX-License-Identifier: Apache-2.0
//
// Stops all other threads with a signal, so that neither ptrace nor another process is needed.
// CRASH-TIME.

#ifndef EPITAPH_THREADS_THREAD_STOP_H
#define EPITAPH_THREADS_THREAD_STOP_H

#include "capture/capture.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Finds the threads of the process and sends each the stop signal; returns without waiting.
void epitaph_threads_stop(epitaph_capture *capture);

/// Waits until all have stopped or the time for it is over, looking for threads created meanwhile.
void epitaph_threads_wait(epitaph_capture *capture);

/// Lets the threads continue and restores the stop signal's previous action.
void epitaph_threads_release(epitaph_capture *capture);

/// For a thread that is already in a signal handler of ours: fills in its slot like the stop
/// signal's handler, with `context`, and waits until the capture is over. Returns true then, false
/// after `timeout_ns`.
bool epitaph_thread_wait_in_place(epitaph_capture *capture, const ucontext_t *context,
                                  uint64_t timeout_ns);

#pragma GCC visibility pop

#endif
