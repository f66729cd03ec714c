// SPDX-License-Identifier: Apache-2.0
//
// What kind of processor this is. QUIET-TIME.

#ifndef EPITAPH_FACTS_PROCESSOR_FACTS_H
#define EPITAPH_FACTS_PROCESSOR_FACTS_H

#include "epitaph_process_facts.h"

#pragma GCC visibility push(hidden)

void epitaph_processor_facts_collect(epitaph_process_facts *facts);

#pragma GCC visibility pop

#endif
