// SPDX-License-Identifier: Apache-2.0

#ifndef EPITAPH_THREAD_KERNEL_FACTS_H
#define EPITAPH_THREAD_KERNEL_FACTS_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// CRASH-TIME. Reads a file of /proc/self/task/TID, whose `name` begins with a slash, into `text`;
/// returns its length, 0 when it cannot be read.
size_t epitaph_task_file_read(int32_t tid, const char *name, char *text, size_t size);

#pragma GCC visibility pop

#endif
