// SPDX-License-Identifier: Apache-2.0
//
// Limits that must not prevent a dump from being written: RLIMIT_FSIZE; RLIMIT_NOFILE, below which
// the reserved descriptors are not, if the program has lowered it; and RLIMIT_SIGPENDING, without
// which there is no timer for the watchdog. CRASH-TIME.

#ifndef EPITAPH_SYSTEM_RESOURCE_LIMITS_H
#define EPITAPH_SYSTEM_RESOURCE_LIMITS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Raises the soft limits to the hard ones, which every process may.
void epitaph_resource_limits_lift(void);

/// Restores the soft limits. If even the hard limit of a file's size was too small, each write that
/// failed left a SIGXFSZ pending; they are removed, so that the process dies of the signal it
/// crashed with.
void epitaph_resource_limits_restore(bool has_met_size_limit);

#pragma GCC visibility pop

#endif
