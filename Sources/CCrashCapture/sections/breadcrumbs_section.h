// SPDX-License-Identifier: Apache-2.0
//
// The BREADCRUMBS section. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_BREADCRUMBS_SECTION_H
#define EPITAPH_SECTIONS_BREADCRUMBS_SECTION_H

#include "capture/capture.h"
#include "epitaph_breadcrumb_ring.h"
#include "epitaph_dump_format.h"

#pragma GCC visibility push(hidden)

void epitaph_breadcrumbs_write(epitaph_capture *capture);

/// The breadcrumbs of any ring, as an array under `key`.
void epitaph_breadcrumb_ring_write(epitaph_capture *capture, epitaph_dump_key key,
                                   const epitaph_breadcrumb_ring *ring);

#pragma GCC visibility pop

#endif
