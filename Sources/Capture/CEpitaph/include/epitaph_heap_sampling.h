// SPDX-License-Identifier: Apache-2.0
//
// Whether allocations are watched for memory errors, and what was found. Comes with epitaph.h.

#ifndef EPITAPH_HEAP_SAMPLING_H
#define EPITAPH_HEAP_SAMPLING_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// Counts of this process since epitaph_start.
typedef struct epitaph_heap_counts {
    /// Allocations that were watched.
    uint64_t sampled;
    /// Memory errors that were found without a fault: of the others the process dies.
    uint64_t caught;
} epitaph_heap_counts;

/// QUIET-TIME. Whether allocations are watched as options.heap_sampling chose; `counts` may be
/// NULL.
///
/// Returns EPITAPH_OK; EPITAPH_NOT_STARTED; EPITAPH_INVALID_OPTION if none was chosen, if
/// libepitaph-heap is not in the process or another malloc(3) comes first, or under a sanitizer;
/// EPITAPH_SYSTEM_ERROR without room for the pool. `error`, unless NULL, has the reason.
epitaph_status epitaph_heap_check(epitaph_heap_counts *counts, epitaph_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
