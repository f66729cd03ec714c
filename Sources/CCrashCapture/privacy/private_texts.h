// SPDX-License-Identifier: Apache-2.0
//
// The texts that stay out of a dump: the environment and the command line. Their state at the start
// is known from then on; in a crash `environ` is followed to find what setenv(3) and putenv(3) have
// added since. CRASH-TIME.

#ifndef EPITAPH_PRIVACY_PRIVATE_TEXTS_H
#define EPITAPH_PRIVACY_PRIVATE_TEXTS_H

#include "capture/capture.h"
#include "memory/blanking.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Forgets the texts of an earlier capture.
void epitaph_private_texts_begin(epitaph_capture *capture);

/// Section: reads the current environment. What cannot be read is damage.
void epitaph_private_texts_collect(epitaph_capture *capture);

/// Whether `address` is in a variable, so that the memory there is not wanted.
bool epitaph_private_texts_hold(const epitaph_capture *capture, uint64_t address);

/// Blanks the texts in `copy`, and the bytes at the addresses of variables.
void epitaph_private_texts_blank(epitaph_capture *capture, epitaph_copy copy);

#pragma GCC visibility pop

#endif
