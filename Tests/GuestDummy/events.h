// SPDX-License-Identifier: Apache-2.0

#ifndef EVENTS_H
#define EVENTS_H

/// Before the start of Epitaph: the handler from which the program recovers, if the event needs it.
void prepare_event(const char *event);

/// Ends, or goes on and then ends. Returns 1 when main is to return, 0 when there is no event of
/// this name: segv, abort, exit, _exit, stop, live, recover, recover-segv, child, return,
/// nested-segv, nested-exit, nested-_exit, and the last three with raw- before their names.
int happen(const char *event);

#endif
