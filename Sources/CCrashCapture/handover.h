// SPDX-License-Identifier: Apache-2.0
//
// Signals that are not captured but passed on. CRASH-TIME.

#ifndef EPITAPH_HANDOVER_H
#define EPITAPH_HANDOVER_H

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// To be called first by the handler, with its own frame's address. True when the signal has been
/// passed on and the handler is to return: because Epitaph is disabled, stopped or has given the
/// signal up, or because a handler that we call as the earlier one has passed it back to us.
bool epitaph_handover(int signal, siginfo_t *info, void *context, void *frame);

/// To be called by the handler before it returns.
void epitaph_handover_end(void *context);

#pragma GCC visibility pop

#endif
