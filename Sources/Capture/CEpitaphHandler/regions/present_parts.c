// SPDX-License-Identifier: Apache-2.0
//
// Writes only the resident pages of big ranges.

#include "regions/regions.h"

#include "privacy/privacy.h"

/// Writes memory up to the first unreadable byte; returns the bytes written.
static uint64_t write_piece(epitaph_capture *capture, epitaph_dump_key key, uint64_t start,
                            uint64_t bytes) {
    const epitaph_dump_key data = EPITAPH_KEY_MEMORY_REGION_DATA;
    epitaph_writer *writer = &capture->writer;
    epitaph_writer_map_start(writer, key);
    epitaph_writer_u64(writer, EPITAPH_KEY_MEMORY_REGION_ADDRESS, start);
    // Unwind tables come from files and stay unchanged.
    uint64_t written = key == EPITAPH_KEY_UNWIND_TABLES
                           ? epitaph_writer_memory(writer, data, start, bytes)
                           : epitaph_blanked_memory_write(capture, data, start, bytes);
    epitaph_writer_end(writer);
    return written;
}

void epitaph_present_parts_write(epitaph_capture *capture, epitaph_dump_key key,
                                 epitaph_range range, uint64_t subject) {
    const uint64_t page_mask = epitaph_capture_settings_now.facts.page_size - 1;
    bool is_absence_noted = false;
    for (uint64_t start = range.start; start < range.end;) {
        uint64_t bytes = epitaph_residency_prefix(start, range.end - start);
        uint64_t written = bytes == 0 ? 0 : write_piece(capture, key, start, bytes);
        start += written;
        if (written < bytes) {
            epitaph_damage_add(capture, key, EPITAPH_WHY_UNREADABLE, 0,
                               subject == 0 ? start : subject);
            return;
        }
        if (start == range.end) return;
        if (!is_absence_noted) {
            epitaph_damage_add(capture, key, EPITAPH_WHY_NOT_RESIDENT, 0,
                               subject == 0 ? start : subject);
        }
        is_absence_noted = true;
        while (start < range.end && epitaph_residency_is_absent(start))
            start = (start | page_mask) + 1;
    }
}
