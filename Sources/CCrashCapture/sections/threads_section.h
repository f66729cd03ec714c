// SPDX-License-Identifier: Apache-2.0
//
// The THREADS section: first the crashing thread alone, later all others. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_THREADS_SECTION_H
#define EPITAPH_SECTIONS_THREADS_SECTION_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_crashing_thread_write(epitaph_capture *capture);
void epitaph_other_threads_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
