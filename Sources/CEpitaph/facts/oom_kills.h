// SPDX-License-Identifier: Apache-2.0
//
// How often the kernel has ended a process for want of memory, as it is counted for the control
// groups of this process and for the machine. QUIET-TIME.

#ifndef EPITAPH_FACTS_OOM_KILLS_H
#define EPITAPH_FACTS_OOM_KILLS_H

#include "epitaph_process_facts.h"

#pragma GCC visibility push(hidden)

/// LAUNCH_OOM_KILLS of docs/dump-format.md, with a NUL. What cannot be read, or has no room, is
/// left out.
void epitaph_oom_kills_collect(char text[EPITAPH_OOM_KILLS_SIZE]);

#pragma GCC visibility pop

#endif
