// SPDX-License-Identifier: Apache-2.0
//
// The DISPLACED_HANDLERS section. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_DISPLACED_HANDLERS_H
#define EPITAPH_SECTIONS_DISPLACED_HANDLERS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_displaced_handlers_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
