// SPDX-License-Identifier: Apache-2.0
//
// Sampled allocations: the sampler is a library of its own, found when it is asked for.

#ifndef EPITAPH_HEAP_HEAP_SAMPLING_H
#define EPITAPH_HEAP_HEAP_SAMPLING_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Begins to sample as chosen. Whatever is in the way, crashes are captured all the
/// same: epitaph_heap_check says why nothing is sampled.
void epitaph_heap_sampling_begin(const epitaph_options *options);

/// QUIET-TIME.
void epitaph_heap_sampling_end(void);

#pragma GCC visibility pop

#endif
