// SPDX-License-Identifier: Apache-2.0
//
// Which existing threads can be sent the signal that offers an alternate stack.

#ifndef EPITAPH_THREADS_EXISTING_ROOMS_H
#define EPITAPH_THREADS_EXISTING_ROOMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Writable memory, as /proc/self/maps has it.
typedef struct epitaph_writable_range {
    uint64_t start;
    uint64_t end;
    /// Readable memory ends right below it: a stack in it may begin higher up.
    bool has_neighbour_below;
    /// The first thread's stack.
    bool grows;
} epitaph_writable_range;

typedef struct epitaph_writable_ranges epitaph_writable_ranges;

/// QUIET-TIME. NULL if there is no memory. To be freed with the function below.
epitaph_writable_ranges *epitaph_writable_ranges_read(void);
void epitaph_writable_ranges_free(epitaph_writable_ranges *ranges);

/// QUIET-TIME. Whether a handler of the stop signal would run in the thread, and has room for that
/// on the thread's own stack.
bool epitaph_existing_thread_can_answer(long tid, const epitaph_writable_ranges *ranges);

#pragma GCC visibility pop

#endif
