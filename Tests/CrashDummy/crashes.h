// SPDX-License-Identifier: Apache-2.0

#ifndef CRASHES_H
#define CRASHES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Dies in the way called `name`; returns only when there is no such way.
void crash(const char *name);

/// Throws a std::runtime_error that nobody catches.
void crash_throwing(void);

/// Thirty live dumps from three threads while others wait in system calls; prints how many of those
/// calls were interrupted, and exits.
void live_dumps(void);
void live_then_crash(void);
void live_at_paths(void);

/// Prints the ways there are.
void print_ways(void);

#ifdef __cplusplus
}
#endif

#endif
