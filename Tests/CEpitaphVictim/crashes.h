// SPDX-License-Identifier: Apache-2.0

#ifndef CRASHES_H
#define CRASHES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Dies in the way called `name`; returns only when there is no such way.
void crash(const char *name);

/// Throws a std::runtime_error that is not caught.
void crash_throwing(void);

/// The ways whose point is the reason in words, and those that change their mind about Epitaph
/// first: as crash().
void crash_for_a_reason(const char *name);
void crash_by_choice(const char *name);

/// The C++ part of crash_for_a_reason().
void crash_in_cxx(const char *name);

/// Installs a std::terminate handler that prints a line on standard output.
void set_own_terminate_handler(void);

/// Thirty live dumps from three threads while others wait in system calls; prints how many of those
/// calls were interrupted, and exits.
void live_dumps(void);

/// A live dump while a blocked SIGPROF waits; prints how often its handler was called, and exits.
void live_dump_beside_own_signal(void);
/// The same with a SIGABRT whose handler returns.
void survive_beside_own_signal(void);
void live_then_crash(void);
void execute_beside_live_dumps(void);
void live_at_paths(void);

/// Prints the ways there are.
void print_ways(void);

#ifdef __cplusplus
}
#endif

#endif
