// SPDX-License-Identifier: Apache-2.0
//
// The TASK_SCOPE section. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_SCOPE_SECTION_H
#define EPITAPH_SECTIONS_SCOPE_SECTION_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// What the task that crashed, or whose thread asked for a dump, knows of itself alone.
void epitaph_scope_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
