// SPDX-License-Identifier: Apache-2.0
//
// Whether a thread waits in a system call that must not be interrupted. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREAD_WAITING_H
#define EPITAPH_THREADS_THREAD_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Whether a signal with SA_RESTART can reach thread `tid` without making a system call
/// of it fail with EINTR: it runs, or waits for a futex without a timeout. False if that is not
/// known.
bool epitaph_thread_may_be_interrupted(int32_t tid);

#pragma GCC visibility pop

#endif
