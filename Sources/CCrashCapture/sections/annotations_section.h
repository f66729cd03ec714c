// SPDX-License-Identifier: Apache-2.0
//
// The ANNOTATIONS_SIMPLE_MAP section. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_ANNOTATIONS_SECTION_H
#define EPITAPH_SECTIONS_ANNOTATIONS_SECTION_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_annotations_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
