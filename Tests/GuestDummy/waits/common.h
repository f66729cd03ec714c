// SPDX-License-Identifier: Apache-2.0

#ifndef COMMON_H
#define COMMON_H

/// Ends the program because the system does not allow what it is about: status 69.
_Noreturn void give_up(const char *what);

void write_to_nowhere(void);

/// Threads that sleep, when this returns, until the process ends.
void start_idle_threads(int count);

/// A thread that notices delays. Then: the longest one, on standard error.
void start_heartbeat(void);
void tell_heartbeat(void);

/// One dump of the living process, or status 73.
void dump_alive(void);

/// Whether a word is in the comma-separated argument.
int says(const char *argument, const char *word);

#endif
