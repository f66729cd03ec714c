// SPDX-License-Identifier: Apache-2.0
//
// The ATTACHMENTS section. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_ATTACHMENTS_SECTION_H
#define EPITAPH_SECTIONS_ATTACHMENTS_SECTION_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_attachments_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
