// SPDX-License-Identifier: Apache-2.0
//
// What could not be captured. Collected during the capture and written at its end; with the table
// full the last entry says so.

#include "capture.h"

#include "bytes.h"

static void add(epitaph_capture *capture, const epitaph_damage *damage) {
    if (capture->damage_count == EPITAPH_DAMAGE_LIMIT) {
        epitaph_damage *last = &capture->damage[EPITAPH_DAMAGE_LIMIT - 1];
        last->section = EPITAPH_KEY_DAMAGE;
        last->why = EPITAPH_WHY_TOO_MANY;
        last->error = 0;
        last->subject = EPITAPH_DAMAGE_LIMIT;
        last->bytes = 0;
        return;
    }
    epitaph_bytes_copy(&capture->damage[capture->damage_count++], damage, sizeof *damage);
}

void epitaph_damage_add(epitaph_capture *capture, epitaph_dump_key section, epitaph_dump_why why,
                        int32_t error, uint64_t subject) {
    const epitaph_damage damage = {section, why, error, subject, 0};
    add(capture, &damage);
}

void epitaph_damage_add_bytes(epitaph_capture *capture, epitaph_dump_key section,
                              epitaph_dump_why why, uint64_t subject, uint64_t bytes) {
    const epitaph_damage damage = {section, why, 0, subject, bytes};
    add(capture, &damage);
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
        if (entry->bytes != 0) {
            epitaph_writer_u64(writer, EPITAPH_KEY_DAMAGE_BYTES, entry->bytes);
        }
        epitaph_writer_end(writer);
    }
    epitaph_writer_end(writer);
}
