// SPDX-License-Identifier: Apache-2.0
//
// Sections of a dump that can be broken off: by a fault of the handler itself, or by the watchdog.
// CRASH-TIME.

#ifndef EPITAPH_SECTION_H
#define EPITAPH_SECTION_H

#include "capture.h"

typedef struct epitaph_section {
    /// Named in the damage when the section is broken off.
    epitaph_dump_key key;
    void (*write)(epitaph_capture *capture);
    /// Written even when the time for the capture is over.
    bool is_last;
} epitaph_section;

/// Writes the sections in order. Each ends with a flush. One that is broken off is taken back to
/// its last whole command, leaves a damage mark, and the next begins.
void epitaph_sections_write(epitaph_capture *capture, const epitaph_section *sections,
                            size_t count);

/// Breaks off the section that is being written; does not return then. Returns when there is none.
void epitaph_section_break_off(epitaph_capture *capture, epitaph_dump_why why, uint64_t subject);

#endif
