// SPDX-License-Identifier: Apache-2.0
//
// A section runs behind a set-jump; breaking it off is a jump back there.

#include "capture/capture.h"

#include <time.h>

/// A handler that faults more often is useless.
enum { BREAK_LIMIT = 32 };

static bool write_section(epitaph_capture *capture, const epitaph_section *section) {
    epitaph_writer *writer = &capture->writer;
    if (epitaph_jump_set(&capture->recovery) == 0) {
        capture->can_break_off = (section->flags & EPITAPH_SECTION_UNBREAKABLE) == 0;
        section->write(capture);
        if ((section->flags & EPITAPH_SECTION_HELD_BACK) == 0) epitaph_writer_flush(writer);
        capture->can_break_off = false;
        return true;
    }
    // The handler that jumped here blocked all signals; faults must reach us again.
    epitaph_sys_sigprocmask(SIG_SETMASK, &capture->signal_mask, NULL);
    epitaph_writer_mend(writer);
    // A read may be half-way through a pipe.
    epitaph_memory_end();
    epitaph_writer_end_to(writer, 0);
    epitaph_damage_add(capture, section->key, capture->broken_why, 0, capture->broken_subject);
    return false;
}

static void write_essential(epitaph_capture *capture, const epitaph_section *section) {
    uint64_t beginning = capture->writer.whole;
    if (write_section(capture, section) || capture->is_out_of_time) return;
    // Removes the partial output, so that it is not in the file twice.
    capture->writer.whole = beginning;
    epitaph_writer_mend(&capture->writer);
    write_section(capture, section);
}

/// By the watchdog if there is one, otherwise by the clock. A live dump ends when a crash waits.
static bool is_over(epitaph_capture *capture) {
    if (capture->is_live && epitaph_owner_is_awaited()) capture->is_out_of_time = true;
    if (capture->is_out_of_time || capture->watchdog >= 0 || capture->started_ns == 0) {
        return capture->is_out_of_time;
    }
    uint64_t timeout_ms = epitaph_capture_settings_now.limits.capture_timeout_ms;
    uint64_t spent_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC) - capture->started_ns;
    capture->is_out_of_time = spent_ns > epitaph_milliseconds(timeout_ms) && spent_ns >> 63 == 0;
    return capture->is_out_of_time;
}

void epitaph_sections_write(epitaph_capture *capture, const epitaph_section *sections,
                            size_t count) {
    capture->has_begun = true;
    for (size_t i = 0; i < count; i++) {
        if (is_over(capture) && (sections[i].flags & EPITAPH_SECTION_LAST) == 0) {
            epitaph_damage_add(capture, sections[i].key, EPITAPH_WHY_OUT_OF_TIME, 0, 0);
        } else if ((sections[i].flags & EPITAPH_SECTION_ESSENTIAL) != 0) {
            write_essential(capture, &sections[i]);
        } else {
            write_section(capture, &sections[i]);
        }
    }
}

void epitaph_section_break_off(epitaph_capture *capture, epitaph_dump_why why, uint64_t subject) {
    if (!capture->can_break_off || capture->break_count++ >= BREAK_LIMIT) return;
    capture->can_break_off = false;
    capture->broken_why = why;
    capture->broken_subject = subject;
    epitaph_jump_to(&capture->recovery);
}
