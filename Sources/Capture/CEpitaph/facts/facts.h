// SPDX-License-Identifier: Apache-2.0
//
// Facts about the process that cannot be determined at crash time. QUIET-TIME.

#ifndef EPITAPH_FACTS_FACTS_H
#define EPITAPH_FACTS_FACTS_H

#include "epitaph.h"
#include "epitaph_file_owner.h"
#include "epitaph_process.h"

#pragma GCC visibility push(hidden)

/// Also works before epitaph_start.
epitaph_process_identity epitaph_own_identity(void);

void epitaph_facts_collect(epitaph_process_facts *facts, const epitaph_options *options);

/// In a forked child: replaces the parent's facts. Allocates nothing.
void epitaph_facts_collect_of_child(epitaph_process_facts *facts);

/// Remembers environment and command line, so that a crash can keep them out of its dump. Needs the
/// process facts. Returns 0, or -1 without memory.
int epitaph_private_texts_remember(const epitaph_options *options);

// Addresses that only libc or the dynamic linker can supply.

void epitaph_loader_facts_collect(epitaph_process_facts *facts);

// What only the program's file says. Both need the program's headers.

/// Looks only if these name no .eh_frame_hdr.
void epitaph_frame_section_find(epitaph_process_facts *facts);

/// The address of a variable of this name and size in the program itself; 0 if its file has no
/// symbols.
uint64_t epitaph_program_variable_find(const epitaph_process_facts *facts, const char *name,
                                       uint64_t bytes);

/// Start of the main thread's stack: the address of the argument count stored by the kernel, psABI
/// 3.4.1 (x86_64). The stack is below it, arguments and environment above. 0 if not found.
uint64_t epitaph_main_stack_find(void);

/// Kernel counts of out-of-memory kills for this process's control groups and the machine:
/// LAUNCH_OOM_KILLS of docs/dump-format.md, with a NUL. Omits what is unreadable or does not fit.
void epitaph_oom_kills_collect(char text[EPITAPH_OOM_KILLS_SIZE]);

void epitaph_processor_facts_collect(epitaph_process_facts *facts);

/// ANY-TIME. The most that the kernel's frame for a signal needs: 3 KiB with AVX-512, 11 KiB with
/// AMX, more with SVE. Kernels that do not tell know none of the latter. getauxval(3)
size_t epitaph_signal_frame_bytes(void);

#pragma GCC visibility pop

#endif
