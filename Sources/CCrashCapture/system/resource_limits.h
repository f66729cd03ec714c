// SPDX-License-Identifier: Apache-2.0
//
// Limits that must not keep a dump from being written: RLIMIT_FSIZE; RLIMIT_NOFILE, below which the
// descriptors set aside do not lie where the program has lowered it; and RLIMIT_SIGPENDING, without
// which there is no timer for the watchdog. CRASH-TIME.

#ifndef EPITAPH_SYSTEM_RESOURCE_LIMITS_H
#define EPITAPH_SYSTEM_RESOURCE_LIMITS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Raises the soft limits to the hard ones, which every process may.
void epitaph_resource_limits_lift(void);

/// Puts the soft limits back. Where even the hard limit of a file's size was too small, each write
/// that failed left a SIGXFSZ pending; they are taken away, so that the process dies of what it
/// crashed with.
void epitaph_resource_limits_restore(bool has_met_size_limit);

#pragma GCC visibility pop

#endif
