// SPDX-License-Identifier: Apache-2.0
//
// Asks the threads of the process to stop. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREAD_LIST_H
#define EPITAPH_THREADS_THREAD_LIST_H

#include "capture/capture.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Asks every thread in the list that has no slot yet; returns how many were new.
uint32_t epitaph_threads_ask_listed(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
