// SPDX-License-Identifier: Apache-2.0
//
// Sections of a dump that can be broken off: by a fault of the handler itself, or by the watchdog.
// CRASH-TIME.

#ifndef EPITAPH_CAPTURE_SECTION_H
#define EPITAPH_CAPTURE_SECTION_H

#include "capture/capture.h"
#include "epitaph_dump_format.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum epitaph_section_flags {
    /// Not flushed at its end: it goes out with the next one.
    EPITAPH_SECTION_HELD_BACK = 1,
    /// Written even when the time for the capture is over.
    EPITAPH_SECTION_LAST = 2,
    /// Attempted a second time, from its beginning, when the handler faulted in it.
    EPITAPH_SECTION_ESSENTIAL = 4,
    /// Never broken off by the watchdog: what it does must be done to its end.
    EPITAPH_SECTION_UNBREAKABLE = 8,
};

typedef struct epitaph_section {
    /// Named in the damage when the section is broken off.
    epitaph_dump_key key;
    void (*write)(epitaph_capture *capture);
    /// epitaph_section_flags
    uint32_t flags;
} epitaph_section;

/// Writes the sections in order. Each ends with a flush, unless it is held back. One that is broken
/// off is taken back to its last whole command, leaves a damage mark, and the next begins.
void epitaph_sections_write(epitaph_capture *capture, const epitaph_section *sections,
                            size_t count);

/// Breaks off the section that is being written; does not return then. Returns when there is none.
void epitaph_section_break_off(epitaph_capture *capture, epitaph_dump_why why, uint64_t subject);

#pragma GCC visibility pop

#endif
