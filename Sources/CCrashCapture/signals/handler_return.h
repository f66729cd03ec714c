// SPDX-License-Identifier: Apache-2.0
//
// What happens when our handler returns: which signals are blocked then, and whether the same
// signal comes again. CRASH-TIME.

#ifndef EPITAPH_SIGNALS_HANDLER_RETURN_H
#define EPITAPH_SIGNALS_HANDLER_RETURN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// The signals blocked when the handler returns.
uint64_t epitaph_signal_blocked(const ucontext_t *context);
void epitaph_signal_set_blocked(ucontext_t *context, uint64_t mask);

/// Queues the signal again, with its true siginfo, for the calling thread; false if that is not
/// possible. Nothing is delivered before the handler returns.
bool epitaph_signal_queue_again(int signal, const siginfo_t *info);

/// Whether the instruction will most likely raise the signal again when it is executed again.
bool epitaph_signal_happens_again(int signal, const siginfo_t *info);

#pragma GCC visibility pop

#endif
