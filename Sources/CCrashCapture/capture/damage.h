// SPDX-License-Identifier: Apache-2.0
//
// What could not be captured, and why. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_DAMAGE_H
#define EPITAPH_CAPTURE_DAMAGE_H

#include "epitaph_dump_format.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_DAMAGE_LIMIT = 256 };

typedef struct epitaph_damage {
    epitaph_dump_key section;
    epitaph_dump_why why;
    int32_t error;
    uint64_t subject;
    /// How many bytes were left out; 0 if that is not known.
    uint64_t bytes;
} epitaph_damage;

struct epitaph_capture;

/// Records that part of `section` is missing. `subject` is a thread id, an address or a count,
/// depending on the section.
void epitaph_damage_add(struct epitaph_capture *capture, epitaph_dump_key section,
                        epitaph_dump_why why, int32_t error, uint64_t subject);

/// The same for `bytes` bytes that were left out.
void epitaph_damage_add_bytes(struct epitaph_capture *capture, epitaph_dump_key section,
                              epitaph_dump_why why, uint64_t subject, uint64_t bytes);

/// Writes the DAMAGE section; nothing if everything could be captured.
void epitaph_damage_write(struct epitaph_capture *capture);

#pragma GCC visibility pop

#endif
