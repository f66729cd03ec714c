// SPDX-License-Identifier: Apache-2.0
//
// The ids of the threads that told us of themselves, for processes that have no /proc. Lock-free:
// a thread takes and gives back its own place, the capture reads.

#ifndef EPITAPH_THREAD_REGISTRY_H
#define EPITAPH_THREAD_REGISTRY_H

#include "epitaph_capture.h"

#pragma GCC visibility push(hidden)

/// Calls `visit` with `capture` and each registered thread id. CRASH-TIME.
void epitaph_thread_registry_visit(void *capture, void (*visit)(void *capture, int32_t tid));

#pragma GCC visibility pop

#endif
