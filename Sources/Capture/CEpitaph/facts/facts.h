// SPDX-License-Identifier: Apache-2.0
//
// Facts and texts of the process that cannot be found out at crash time. QUIET-TIME.

#ifndef EPITAPH_FACTS_FACTS_H
#define EPITAPH_FACTS_FACTS_H

#include "epitaph.h"
#include "epitaph_file_owner.h"
#include "epitaph_process.h"

#pragma GCC visibility push(hidden)

// Facts and texts of the process that cannot be found out at crash time. QUIET-TIME.

/// Who the calling process is, also before the start.
epitaph_process_identity epitaph_own_identity(void);

/// Finds out what cannot be found out at crash time.
void epitaph_facts_collect(epitaph_process_facts *facts, const epitaph_options *options);

/// In a forked child: replaces its parent's facts by its own. Allocates nothing.
void epitaph_facts_collect_of_child(epitaph_process_facts *facts);

// The environment and the command line, remembered so that a crash can keep them out of its dump.

/// Remembers the environment and the command line, which are kept out of dumps. Needs the process
/// facts. Returns 0, or -1 if there is no memory for it.
int epitaph_private_texts_remember(const epitaph_options *options);

// Addresses for which libc or the dynamic linker must be called.

void epitaph_loader_facts_collect(epitaph_process_facts *facts);

// Where the main thread's stack begins.

/// QUIET-TIME. The address of the argument count, which the kernel has put there for the program's
/// first instruction, psABI 3.4.1 (x86_64): the stack is below it, arguments and environment above.
/// 0 if it is not where it should be.
uint64_t epitaph_main_stack_find(void);

// How often the kernel has ended a process for lack of memory, as it is counted for the control
// groups of this process and for the machine.

/// LAUNCH_OOM_KILLS of docs/dump-format.md, with a NUL. What cannot be read, or has no room, is
/// left out.
void epitaph_oom_kills_collect(char text[EPITAPH_OOM_KILLS_SIZE]);

// What kind of processor this is.

void epitaph_processor_facts_collect(epitaph_process_facts *facts);

#pragma GCC visibility pop

#endif
