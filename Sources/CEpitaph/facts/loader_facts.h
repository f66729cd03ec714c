// SPDX-License-Identifier: Apache-2.0
//
// Addresses for which libc or the dynamic linker must be called. QUIET-TIME.

#ifndef EPITAPH_FACTS_LOADER_FACTS_H
#define EPITAPH_FACTS_LOADER_FACTS_H

#include "epitaph_process_facts.h"

#pragma GCC visibility push(hidden)

void epitaph_loader_facts_collect(epitaph_process_facts *facts);

#pragma GCC visibility pop

#endif
