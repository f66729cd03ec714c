// SPDX-License-Identifier: Apache-2.0
//
// What the kernel reports about a thread that does not stop, from /proc/self/task/TID. CRASH-TIME.

#ifndef EPITAPH_THREADS_THREAD_KERNEL_FACTS_H
#define EPITAPH_THREADS_THREAD_KERNEL_FACTS_H

#include "capture/capture.h"
#include "capture/thread_slots.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Reads a file of /proc/self/task/TID, whose `name` begins with a slash, into `text`;
/// returns its length, 0 if it cannot be read.
size_t epitaph_task_file_read(int32_t tid, const char *name, char *text, size_t size);

/// Writes THREAD_NAME and THREAD_RUN_STATE as far as /proc shows them.
void epitaph_kernel_name_write(epitaph_capture *capture, int32_t tid);

/// Where a thread waits, as the kernel sees it.
typedef struct epitaph_kernel_wait {
    uint64_t stack_pointer;
    uint64_t instruction_pointer;
    /// The number of its system call; -1 outside of one.
    int64_t call;
    /// The first three arguments of the call.
    uint64_t arguments[3];
} epitaph_kernel_wait;

/// Writes the system call a waiting thread is in, its two pointers, and for futex(2) what it waits
/// for; for a running thread it returns false and writes nothing.
bool epitaph_kernel_wait_write(epitaph_capture *capture, int32_t tid, epitaph_kernel_wait *wait);

/// Whether it is futex(2), whose first argument is a lock's address.
bool epitaph_kernel_wait_is_for_lock(const epitaph_kernel_wait *wait);

/// Fills in the name and the scheduling facts of a slot whose thread cannot do it itself.
void epitaph_kernel_describe(epitaph_thread_slot *slot);

/// Whether the thread has ended, or is a zombie.
bool epitaph_thread_has_ended(epitaph_capture *capture, int32_t tid);

bool epitaph_thread_blocks_stop_signal(epitaph_capture *capture, int32_t tid);

#pragma GCC visibility pop

#endif
