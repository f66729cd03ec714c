// SPDX-License-Identifier: Apache-2.0
//
// The environment and the command line, remembered so that a crash can keep them out of its dump.
// QUIET-TIME.

#ifndef EPITAPH_FACTS_REMEMBERED_TEXTS_H
#define EPITAPH_FACTS_REMEMBERED_TEXTS_H

#include "epitaph.h"

#pragma GCC visibility push(hidden)

/// Remembers the environment and the command line, which are kept out of dumps. Needs the process
/// facts. Returns 0, or -1 if there is no memory for it.
int epitaph_private_texts_remember(const epitaph_options *options);

#pragma GCC visibility pop

#endif
