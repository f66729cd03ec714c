// SPDX-License-Identifier: Apache-2.0

#ifndef WAYS_H
#define WAYS_H

/// One program of the waits: it starts Epitaph itself, when its time has come.
typedef struct way {
    const char *name;
    void (*function)(const char *database, const char *argument);
} way;

/// Each ends with a way without a name.
extern const way filter_ways[];
extern const way handler_ways[];
extern const way live_ways[];
extern const way memory_ways[];
extern const way place_ways[];
extern const way thread_ways[];
extern const way timer_ways[];

#endif
