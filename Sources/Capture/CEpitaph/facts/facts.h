// SPDX-License-Identifier: Apache-2.0
//
// Facts and texts of the process that cannot be found out at crash time. QUIET-TIME.

#ifndef EPITAPH_FACTS_FACTS_H
#define EPITAPH_FACTS_FACTS_H

#include "epitaph.h"
#include "epitaph_file_owner.h"
#include "epitaph_process_facts.h"

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
