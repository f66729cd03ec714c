// SPDX-License-Identifier: Apache-2.0
//
// Whose work a thread does. CRASH-TIME.

#ifndef EPITAPH_THREADS_RUNNING_WORK_H
#define EPITAPH_THREADS_RUNNING_WORK_H

#include "file/writer.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Writes THREAD_TASK_NAME and THREAD_QUEUE_NAME of a thread that stands still, as far as it runs a
/// task or does a queue's work and that can be read. The thread pointer may be 0.
void epitaph_running_work_write(epitaph_writer *writer, uint64_t thread_pointer);

#pragma GCC visibility pop

#endif
