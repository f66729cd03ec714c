// SPDX-License-Identifier: Apache-2.0
//
// The files that forked children of this process were given, kept from piling up: a child that has
// given up its rights cannot remove its own. docs/decisions/workers-of-another-user.md. Everything
// here runs in the middle of fork(3), perhaps in a signal handler: it allocates no memory and waits
// for nothing.

#ifndef EPITAPH_FILES_HANDED_OUT_FILES_H
#define EPITAPH_FILES_HANDED_OUT_FILES_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Checks a few of the files: removes those whose children have ended without a crash, and seals
/// those with one.
void epitaph_handed_out_look_after(void);

/// Reserves an entry for one more and chooses its id. Returns the entry's number, or -1 if there
/// are too many or no random numbers.
int epitaph_handed_out_reserve(uint8_t uuid[16]);
/// The child was made, or could not be: its file may exist from now on.
void epitaph_handed_out_begin(int place);

/// Forgets all of them: in a child they are its parent's.
void epitaph_handed_out_forget(void);

#pragma GCC visibility pop

#endif
