// SPDX-License-Identifier: Apache-2.0
//
// The parts of the facts of the process, each from another source. QUIET-TIME.

#ifndef EPITAPH_FACTS_FACT_PARTS_H
#define EPITAPH_FACTS_FACT_PARTS_H

#include "epitaph_process_facts.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

// Addresses for which libc or the dynamic linker must be called.

void epitaph_loader_facts_collect(epitaph_process_facts *facts);

// Where the main thread's stack begins.

/// QUIET-TIME. The address of the argument count, which the kernel has put there for the program's
/// first instruction, psABI 3.4.1 (x86_64): the stack is below it, arguments and environment above.
/// 0 if it is not where it should be.
uint64_t epitaph_main_stack_find(void);

// How often the kernel has ended a process for want of memory, as it is counted for the control
// groups of this process and for the machine.

/// LAUNCH_OOM_KILLS of docs/dump-format.md, with a NUL. What cannot be read, or has no room, is
/// left out.
void epitaph_oom_kills_collect(char text[EPITAPH_OOM_KILLS_SIZE]);

// What kind of processor this is.

void epitaph_processor_facts_collect(epitaph_process_facts *facts);

#pragma GCC visibility pop

#endif
