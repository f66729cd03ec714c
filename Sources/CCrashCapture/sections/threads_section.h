// SPDX-License-Identifier: Apache-2.0
//
// The THREADS section: first the crashing thread alone, later all others. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_THREADS_SECTION_H
#define EPITAPH_SECTIONS_THREADS_SECTION_H

#include "capture/capture.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

void epitaph_crashing_thread_write(epitaph_capture *capture);
/// The same for a process that lives on: the thread that the dump is about. It has to be waited for
/// if it is not the capturing one.
void epitaph_subject_thread_write(epitaph_capture *capture);
/// The thread that the dump is about where that is not the capturing one; 0 otherwise.
int32_t epitaph_other_subject(const epitaph_capture *capture);
void epitaph_other_threads_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
