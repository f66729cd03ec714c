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
    /// Not flushed at its end: it is written together with the next one.
    EPITAPH_SECTION_HELD_BACK = 1,
    /// Written even if the time for the capture is over.
    EPITAPH_SECTION_LAST = 2,
    /// Attempted a second time from its beginning if the handler faulted in it.
    EPITAPH_SECTION_ESSENTIAL = 4,
    /// Never broken off by the watchdog, because it must complete.
    EPITAPH_SECTION_UNBREAKABLE = 8,
};

typedef struct epitaph_section {
    /// The key for the damage entry if the section is broken off.
    epitaph_dump_key key;
    void (*write)(epitaph_capture *capture);
    /// epitaph_section_flags
    uint32_t flags;
} epitaph_section;

/// Writes the sections in order. Each ends with a flush unless it is held back. One that is broken
/// off is cut back to its last complete command and recorded as damage, and the next begins.
void epitaph_sections_write(epitaph_capture *capture, const epitaph_section *sections,
                            size_t count);

/// Breaks off the section that is being written, without returning. Returns if there is none.
void epitaph_section_break_off(epitaph_capture *capture, epitaph_dump_why why, uint64_t subject);

// The deadline of a capture: a timer that interrupts the capturing thread.

/// Starts the timer, which fires after `timeout_ns`. Its signal is the stop signal, whose handler
/// must already be installed.
void epitaph_watchdog_start(epitaph_capture *capture, uint64_t timeout_ns);
void epitaph_watchdog_stop(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
