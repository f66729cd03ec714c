// SPDX-License-Identifier: Apache-2.0
//
// Memory the program asked to have in its dumps: the MEMORY_REGIONS section. CRASH-TIME.

#ifndef EPITAPH_REGIONS_REGISTERED_RANGES_H
#define EPITAPH_REGIONS_REGISTERED_RANGES_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_registered_memory_write(epitaph_capture *capture);

/// Determines which registered memory will be in the dump.
void epitaph_registered_memory_collect(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
