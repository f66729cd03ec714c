// SPDX-License-Identifier: Apache-2.0
//
// The SYSTEM_FILES sections. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_SYSTEM_FILES_H
#define EPITAPH_SECTIONS_SYSTEM_FILES_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_process_files_write(epitaph_capture *capture);
void epitaph_machine_files_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
