// SPDX-License-Identifier: Apache-2.0
//
// THREAD_STATE and FLOAT_STATE of a thread. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_THREAD_REGISTERS_H
#define EPITAPH_SECTIONS_THREAD_REGISTERS_H

#include "capture/capture.h"

#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Writes THREAD_STATE and FLOAT_STATE into the open map, without what must stay out of dumps.
void epitaph_thread_registers_write(epitaph_capture *capture, const ucontext_t *context,
                                    bool is_in_system_call);

#pragma GCC visibility pop

#endif
