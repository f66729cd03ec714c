// SPDX-License-Identifier: Apache-2.0
//
// The texts that stay out of a dump: the environment and the command line. What they were at the
// start is known from then on; in a crash `environ` is followed for what setenv(3) and putenv(3)
// have put there since. CRASH-TIME.

#ifndef EPITAPH_PRIVACY_PRIVATE_TEXTS_H
#define EPITAPH_PRIVACY_PRIVATE_TEXTS_H

#include "capture/capture.h"
#include "memory/blanking.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Forgets an earlier capture's.
void epitaph_private_texts_begin(epitaph_capture *capture);

/// Section: reads the environment as it is now. What cannot be read is damage.
void epitaph_private_texts_collect(epitaph_capture *capture);

/// Whether `address` is in a variable: nothing there is worth having.
bool epitaph_private_texts_hold(const epitaph_capture *capture, uint64_t address);

/// Blanks `copy` by what it says, and by where it lies.
void epitaph_private_texts_blank(epitaph_capture *capture, epitaph_copy copy);

#pragma GCC visibility pop

#endif
