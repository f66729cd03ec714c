// SPDX-License-Identifier: Apache-2.0
//
// Sampled allocations: this library's malloc(3) and free(3) stand in for those of libc, and hand
// all but a few allocations on. It does nothing by itself: epitaph_start chooses how many are
// sampled (`heap_sampling`), docs/memory-errors.md.

#ifndef EPITAPH_HEAP_H
#define EPITAPH_HEAP_H

#include "epitaph_heap_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Found by the crash reporter by this name, in whatever file it is.
extern const epitaph_heap_sampler epitaph_heap_sampler_1 __attribute__((visibility("default")));

#ifdef __cplusplus
}
#endif

#endif
