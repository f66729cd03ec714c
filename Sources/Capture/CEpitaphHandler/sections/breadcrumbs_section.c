// SPDX-License-Identifier: Apache-2.0
//
// BREADCRUMBS

#include "sections/sections.h"

_Static_assert(sizeof(epitaph_breadcrumb) <= EPITAPH_SCRATCH_SIZE, "a copy fits into the scratch");

static void write_breadcrumb(epitaph_writer *writer, epitaph_dump_key key,
                             const epitaph_breadcrumb *breadcrumb, uint64_t number) {
    uint64_t launch_ns = epitaph_capture_settings_now.facts.launch_monotonic_ns;
    epitaph_writer_map_start(writer, key);
    epitaph_writer_u64(writer, EPITAPH_KEY_BREADCRUMB_NUMBER, number);
    epitaph_writer_u64(writer, EPITAPH_KEY_BREADCRUMB_TIME, breadcrumb->time_ns);
    // A breadcrumb from before a restart is older than the clock of UPTIME.
    if (breadcrumb->monotonic_ns >= launch_ns) {
        epitaph_writer_u64(writer, EPITAPH_KEY_BREADCRUMB_UPTIME,
                           breadcrumb->monotonic_ns - launch_ns);
    }
    epitaph_writer_u8(writer, EPITAPH_KEY_BREADCRUMB_LEVEL, breadcrumb->level);
    if (breadcrumb->category_bytes > 0) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_BREADCRUMB_CATEGORY, breadcrumb->category,
                             breadcrumb->category_bytes);
    }
    epitaph_writer_bytes(writer, EPITAPH_KEY_BREADCRUMB_MESSAGE, breadcrumb->message,
                         breadcrumb->message_bytes);
    if (breadcrumb->is_cut) epitaph_writer_u8(writer, EPITAPH_KEY_BREADCRUMB_IS_CUT, 1);
    epitaph_attribute_value kind;
    if (epitaph_attribute_find_kind(breadcrumb->attributes, breadcrumb->attribute_bytes, &kind)) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_BREADCRUMB_KIND, kind.value, kind.value_bytes);
    }
    epitaph_attributes_write(writer, EPITAPH_KEY_BREADCRUMB_ATTRIBUTES, breadcrumb->attributes,
                             breadcrumb->attribute_bytes);
    epitaph_writer_end(writer);
}

/// Oldest first, as far as known while others are added. Slots never used are not touched: their
/// pages are not in memory yet.
static uint64_t write_slots(epitaph_capture *capture, epitaph_dump_key key,
                            const epitaph_breadcrumb_ring *ring, uint64_t slot_count) {
    uint64_t half_written_count = 0;
    uint64_t last = __atomic_load_n(&ring->last_number, __ATOMIC_ACQUIRE);
    uint64_t used_count = last < slot_count ? last : slot_count;
    for (uint64_t i = 0; i < used_count; i++) {
        uint64_t place = (last - used_count + i) % slot_count;
        epitaph_breadcrumb *copy = (epitaph_breadcrumb *)capture->scratch;
        uint64_t number;
        switch (epitaph_breadcrumb_slot_read(&ring->slots[place], copy, &number)) {
        case EPITAPH_BREADCRUMB_NONE: break;
        case EPITAPH_BREADCRUMB_WHOLE:
            if (copy->process_number != 0) number = copy->process_number;
            write_breadcrumb(&capture->writer, key, copy, number);
            break;
        case EPITAPH_BREADCRUMB_HALF_WRITTEN: half_written_count++; break;
        }
    }
    return half_written_count;
}

void epitaph_breadcrumb_ring_write(epitaph_capture *capture, epitaph_dump_key key,
                                   const epitaph_breadcrumb_ring *ring) {
    uint64_t slot_count = ring->slot_count;
    if (slot_count == 0 || slot_count > EPITAPH_BREADCRUMB_LIMIT) {
        epitaph_damage_add(capture, key, EPITAPH_WHY_MALFORMED, 0, 0);
        return;
    }
    epitaph_writer_array_start(&capture->writer, key);
    uint64_t half_written_count = write_slots(capture, key, ring, slot_count);
    epitaph_writer_end(&capture->writer);
    uint64_t dropped_count = __atomic_load_n(&ring->dropped_count, __ATOMIC_RELAXED);
    if (half_written_count > 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_BREADCRUMBS, EPITAPH_WHY_HALF_WRITTEN, 0,
                           half_written_count);
    }
    if (dropped_count > 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_BREADCRUMBS, EPITAPH_WHY_TOO_MANY, 0,
                           dropped_count);
    }
}

void epitaph_breadcrumbs_write(epitaph_capture *capture) {
    const epitaph_breadcrumb_ring *ring =
        __atomic_load_n(&epitaph_capture_settings_now.breadcrumbs, __ATOMIC_ACQUIRE);
    if (ring != NULL) epitaph_breadcrumb_ring_write(capture, EPITAPH_KEY_BREADCRUMBS, ring);
}
