// SPDX-License-Identifier: Apache-2.0
//
// Writes memory into the dump without what must stay out of it. CRASH-TIME.

#ifndef EPITAPH_PRIVACY_BLANKED_MEMORY_H
#define EPITAPH_PRIVACY_BLANKED_MEMORY_H

#include "capture/capture.h"
#include "epitaph_dump_format.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Writes `count` bytes at `address` like `epitaph_writer_memory`, without what must stay out. The
/// caller must know that reading them does not wait for ever.
uint64_t epitaph_blanked_memory_write(epitaph_capture *capture, epitaph_dump_key key,
                                      uint64_t address, uint64_t count);

/// Whether memory contains anything that must stay out. The same applies to the caller.
bool epitaph_memory_is_private(epitaph_capture *capture, uint64_t address, uint64_t count);

#pragma GCC visibility pop

#endif
