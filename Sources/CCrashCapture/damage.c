// SPDX-License-Identifier: Apache-2.0
//
// What could not be captured. Collected during the capture and written at its end; with the table
// full the last entry says so.

#include "capture.h"

void epitaph_damage_add(epitaph_capture *capture, epitaph_dump_key section, epitaph_dump_why why,
                        int32_t error, uint64_t subject) {
    if (capture->damage_count == EPITAPH_DAMAGE_LIMIT) {
        epitaph_damage *last = &capture->damage[EPITAPH_DAMAGE_LIMIT - 1];
        last->section = EPITAPH_KEY_DAMAGE;
        last->why = EPITAPH_WHY_TOO_MANY;
        last->error = 0;
        last->subject = EPITAPH_DAMAGE_LIMIT;
        return;
    }
    epitaph_damage *entry = &capture->damage[capture->damage_count++];
    entry->section = section;
    entry->why = why;
    entry->error = error;
    entry->subject = subject;
}

void epitaph_damage_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    if (capture->damage_count == 0) return;
    epitaph_writer_array_start(writer, EPITAPH_KEY_DAMAGE);
    for (uint32_t i = 0; i < capture->damage_count; i++) {
        const epitaph_damage *entry = &capture->damage[i];
        epitaph_writer_map_start(writer, EPITAPH_KEY_DAMAGE);
        epitaph_writer_u16(writer, EPITAPH_KEY_DAMAGE_SECTION, (uint16_t)entry->section);
        epitaph_writer_u32(writer, EPITAPH_KEY_DAMAGE_WHY, entry->why);
        if (entry->error != 0) {
            epitaph_writer_i32(writer, EPITAPH_KEY_DAMAGE_ERRNO, entry->error);
        }
        epitaph_writer_u64(writer, EPITAPH_KEY_DAMAGE_SUBJECT, entry->subject);
        epitaph_writer_end(writer);
    }
    epitaph_writer_end(writer);
}
