// SPDX-License-Identifier: Apache-2.0
//
// The later action of one signal: kept by several writers, threads and handlers of a crash at once,
// and whole for whoever reads it at any moment. ANY-TIME, CRASH-TIME; none of these waits.

#ifndef EPITAPH_LATER_ACTION_H
#define EPITAPH_LATER_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// One that counts, and one for each of three writers.
    EPITAPH_LATER_ACTION_PLACES = 4,
    /// `epitaph_kernel_sigaction`: the handler, then flags, trampoline and mask.
    EPITAPH_LATER_ACTION_WORDS = 4,
};

/// All zeros: there is none.
typedef struct epitaph_later_action {
    /// Bits 0 and 1: the place that counts. 2: there is an action. 3: its handler has become the
    /// default one. 4 to 7: places that are being written. From 8 on: how many actions there were.
    uint64_t state;
    uint64_t places[EPITAPH_LATER_ACTION_PLACES][EPITAPH_LATER_ACTION_WORDS];
} epitaph_later_action;

/// Makes `action` the one that counts. Returns false, with nothing changed, if other threads
/// changed it again and again meanwhile.
bool epitaph_later_action_set(epitaph_later_action *later,
                              const uint64_t action[EPITAPH_LATER_ACTION_WORDS]);

/// Copies the action. Returns false if there is none.
bool epitaph_later_action_read(const epitaph_later_action *later,
                               uint64_t action[EPITAPH_LATER_ACTION_WORDS]);

/// From now on the handler is the default one (SIG_DFL), until another action is set; flags and
/// mask stay. Returns false if there is no action.
bool epitaph_later_action_reset(epitaph_later_action *later);

/// From now on there is none.
void epitaph_later_action_forget(epitaph_later_action *later);

#pragma GCC visibility pop

#endif
