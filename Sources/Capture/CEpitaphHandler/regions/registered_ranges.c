// SPDX-License-Identifier: Apache-2.0
//
// MEMORY_REGIONS: memory registered by the program.

#include "regions/regions.h"

#include "privacy/privacy.h"

static bool is_inside(epitaph_range inner, epitaph_range outer) {
    return inner.start >= outer.start && inner.end <= outer.end;
}

static bool is_wanted(const epitaph_capture *capture, epitaph_range range) {
    if (range.end <= range.start || epitaph_range_is_private(capture, range)) return false;
    for (uint32_t i = 0; i < capture->regions->registered_count; i++) {
        if (is_inside(range, capture->regions->registered[i])) return false;
    }
    return true;
}

void epitaph_registered_memory_collect(epitaph_capture *capture) {
    const epitaph_registered_memory *entries = epitaph_capture_settings_now.registered_memory;
    uint64_t bytes_left = epitaph_capture_settings_now.limits.registered_memory_bytes;
    capture->regions->registered_count = 0;
    for (uint32_t i = 0; i < EPITAPH_REGISTERED_MEMORY_LIMIT; i++) {
        // The size is stored last and cleared first.
        uint64_t bytes = __atomic_load_n(&entries[i].bytes, __ATOMIC_ACQUIRE);
        uint64_t address =
            epitaph_pointer_address(__atomic_load_n(&entries[i].address, __ATOMIC_ACQUIRE));
        if (bytes == 0 || __atomic_load_n(&entries[i].bytes, __ATOMIC_ACQUIRE) != bytes) continue;
        epitaph_range range;
        range.start = address;
        range.end = address + bytes;
        if (!is_wanted(capture, range)) continue;
        if (bytes > bytes_left) {
            epitaph_damage_add(capture, EPITAPH_KEY_MEMORY_REGIONS, EPITAPH_WHY_OVER_BUDGET, 0,
                               address + bytes_left);
            range.end = address + bytes_left;
        }
        bytes_left -= range.end - range.start;
        if (range.end == range.start) break;
        epitaph_range *kept = &capture->regions->registered[capture->regions->registered_count++];
        kept->start = range.start;
        kept->end = range.end;
    }
}

void epitaph_registered_memory_write(epitaph_capture *capture) {
    if (capture->regions->registered_count == 0) return;
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_MEMORY_REGIONS);
    for (uint32_t i = 0; i < capture->regions->registered_count; i++)
        epitaph_present_parts_write(capture, EPITAPH_KEY_MEMORY_REGIONS,
                                    capture->regions->registered[i], 0);
    epitaph_writer_end(&capture->writer);
}
