// SPDX-License-Identifier: Apache-2.0
//
// The PROCESS_INFO section. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_PROCESS_INFO_H
#define EPITAPH_SECTIONS_PROCESS_INFO_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_process_info_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
