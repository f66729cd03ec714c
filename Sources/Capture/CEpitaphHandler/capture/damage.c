// SPDX-License-Identifier: Apache-2.0
//
// Damage, written at the end of a capture. The last entry of a full table says so.

#include "capture/capture.h"

static void add(epitaph_capture *capture, epitaph_dump_key section, epitaph_dump_why why,
                int32_t error, uint64_t subject, uint64_t bytes) {
    epitaph_damage *entry = &capture->damage[EPITAPH_DAMAGE_LIMIT - 1];
    if (capture->damage_count < EPITAPH_DAMAGE_LIMIT) {
        entry = &capture->damage[capture->damage_count++];
    } else {
        section = EPITAPH_KEY_DAMAGE;
        why = EPITAPH_WHY_TOO_MANY;
        error = 0;
        subject = EPITAPH_DAMAGE_LIMIT;
        bytes = 0;
    }
    entry->section = section;
    entry->why = why;
    entry->error = error;
    entry->subject = subject;
    entry->bytes = bytes;
}

void epitaph_damage_add(epitaph_capture *capture, epitaph_dump_key section, epitaph_dump_why why,
                        int32_t error, uint64_t subject) {
    add(capture, section, why, error, subject, 0);
}

void epitaph_damage_add_bytes(epitaph_capture *capture, epitaph_dump_key section,
                              epitaph_dump_why why, uint64_t subject, uint64_t bytes) {
    add(capture, section, why, 0, subject, bytes);
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
