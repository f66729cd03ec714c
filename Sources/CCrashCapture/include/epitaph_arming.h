// SPDX-License-Identifier: Apache-2.0
//
// Makes dump files, armed for a crash or for a capture that writes at once. Internal to the
// package.

#ifndef EPITAPH_ARMING_H
#define EPITAPH_ARMING_H

#include "epitaph_dump_file_state.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Creates the file the settings keep for a crash: locked, with a fresh name in the
/// pending directory. Takes its record lock, reserves its blocks, maps its head, writes the launch
/// record and publishes the name. Returns 0 or a negative errno, in which case nothing is left
/// behind.
long epitaph_dump_file_arm(void);
/// ANY-TIME. The same in a forked child, under a name chosen by its parent.
long epitaph_dump_file_arm_handed_out(const uint8_t uuid[16]);
/// ANY-TIME. A separate file that is written at once, without a head.
long epitaph_dump_file_create_headless(epitaph_dump_file *file);
/// ANY-TIME. The same under a name chosen by the caller, without a lock and without reserved
/// blocks. The name has no `.locked`, so it is never sealed. `directory` stays the caller's.
long epitaph_dump_file_create_named(epitaph_dump_file *file, int directory, const char *name);
/// QUIET-TIME. Called before a fork whose child cannot make a file because the parent's rights are
/// given up: while the child has its descriptor, the parent's file does not count as abandoned.
void epitaph_dump_file_bequeath(const epitaph_dump_file *file);
/// ANY-TIME. Takes over a parent's file if the parent has ended and it contains no crash. It then
/// contains only a launch record. Returns a negative errno if that is not possible.
long epitaph_dump_file_inherit(epitaph_dump_file *file, const epitaph_dump_file *parents);

#pragma GCC visibility pop

#endif
