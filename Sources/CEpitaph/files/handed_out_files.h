// SPDX-License-Identifier: Apache-2.0
//
// The files that forked children of this process have got, so that they do not pile up: a child
// that has given up its rights cannot take its own away. docs/decisions/workers-of-another-user.md.
// Everything here runs in the middle of fork(3), perhaps in a signal handler: no memory is
// allocated, nothing is waited for.

#ifndef EPITAPH_FILES_HANDED_OUT_FILES_H
#define EPITAPH_FILES_HANDED_OUT_FILES_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Looks at a few of the files: removes those whose children have ended without a crash, and seals
/// those with one.
void epitaph_handed_out_look_after(void);

/// Keeps a place for one more and chooses its id. Returns the place, or -1: there are as many as
/// may be, or no random numbers.
int epitaph_handed_out_reserve(uint8_t uuid[16]);
/// The child is made, or was not: its file may be there from now on.
void epitaph_handed_out_begin(int place);

/// Forgets all: in a child they are its parent's.
void epitaph_handed_out_forget(void);

#pragma GCC visibility pop

#endif
