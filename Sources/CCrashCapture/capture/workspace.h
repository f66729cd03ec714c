// SPDX-License-Identifier: Apache-2.0
//
// The memory the capture works in. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_WORKSPACE_H
#define EPITAPH_CAPTURE_WORKSPACE_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// The workspace; NULL before the start.
extern epitaph_capture *epitaph_capture_now;

#pragma GCC visibility pop

#endif
