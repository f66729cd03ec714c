// SPDX-License-Identifier: Apache-2.0
//
// How many dumps wait in the pending directory, and how many were dropped for lack of room.
// Internal to the package.

#ifndef EPITAPH_PENDING_COUNT_H
#define EPITAPH_PENDING_COUNT_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Whether fewer sealed dumps of this bundle are waiting than may wait.
bool epitaph_pending_has_room(void);
/// ANY-TIME. A descriptor for appending to the file that counts dropped dumps, which is made if it
/// is missing; a negative errno. Never opens anything else with that name, such as a pipe.
long epitaph_pending_open_dropped(int directory);
/// ANY-TIME. Counts a dump that was not written because there was no room.
void epitaph_pending_note_dropped(void);

#pragma GCC visibility pop

#endif
