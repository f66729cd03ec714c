// SPDX-License-Identifier: Apache-2.0
//
// Clips memory to what is readable and wanted, and adds it in granules, each once.

#include "regions/regions.h"

#include "privacy/privacy.h"

enum {
    REGION_BYTES_LIMIT = 4096,
};

void epitaph_regions_begin(epitaph_capture *capture) {
    epitaph_regions *regions = capture->regions;
    regions->count = 0;
    regions->is_cut = false;
    // Too big to touch needlessly.
    if (regions->seen_count > 0)
        epitaph_bytes_zero(regions->first_seen, sizeof regions->first_seen);
    if (regions->seen_count >= EPITAPH_FIRST_SEEN_LIMIT) {
        epitaph_bytes_zero(regions->seen, sizeof regions->seen);
    }
    regions->seen_count = 0;
    regions->bytes_left = epitaph_capture_settings_now.limits.all_memory_bytes;
}

void epitaph_regions_begin_thread(epitaph_capture *capture, epitaph_range stack,
                                  uint64_t bytes_limit) {
    epitaph_regions *regions = capture->regions;
    regions->is_optional = false;
    regions->own_stack.start = stack.start;
    regions->own_stack.end = stack.end;
    regions->thread_bytes_left =
        bytes_limit < regions->bytes_left ? bytes_limit : regions->bytes_left;
}

/// Removes `hole`, keeping the side of `pointer`; keeps nothing if that is in the hole.
static void leave_out(epitaph_range *range, epitaph_range hole, uint64_t pointer) {
    if (hole.start >= range->end || hole.end <= range->start) return;
    if (pointer < hole.start) {
        range->end = hole.start;
    } else if (pointer >= hole.end) {
        range->start = hole.end;
    } else {
        range->end = range->start;
    }
}

static void clip(const epitaph_capture *capture, epitaph_range *range, uint64_t pointer) {
    if (capture->mappings.count > 0) {
        const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, pointer);
        if (mapping == NULL || !mapping->is_readable) {
            range->end = range->start;
            return;
        }
        if (range->start < mapping->start) range->start = mapping->start;
        if (range->end > mapping->end) range->end = mapping->end;
        leave_out(range, mapping->stack, pointer);
    }
    for (uint32_t i = 0; i < capture->regions->registered_count; i++)
        leave_out(range, capture->regions->registered[i], pointer);
    // Just below are the main thread's outermost frames, which belong to its stack.
    leave_out(range, epitaph_argument_area(capture), pointer);
}

/// The place of the granule in a table, or the free one where it belongs.
static uint64_t *find_place(uint64_t *table, uint64_t size, uint64_t granule) {
    uint64_t place = (granule + (granule >> 16) * 40503) % size;
    while (table[place] != 0 && table[place] != granule + 1)
        place = (place + 1) % size;
    return &table[place];
}

static bool is_first_sight(epitaph_regions *regions, uint64_t granule) {
    uint64_t *place = find_place(regions->first_seen, EPITAPH_FIRST_SEEN_SIZE, granule);
    if (*place == 0 && regions->seen_count >= EPITAPH_FIRST_SEEN_LIMIT) {
        place = find_place(regions->seen, EPITAPH_SEEN_SIZE, granule);
    }
    if (*place != 0) return false;
    *place = granule + 1;
    regions->seen_count++;
    return true;
}

static bool has_room(const epitaph_regions *regions, uint64_t count) {
    return regions->thread_bytes_left >= count && regions->bytes_left >= count &&
           regions->count < EPITAPH_REGION_LIMIT && regions->seen_count < EPITAPH_SEEN_LIMIT;
}

static void append(epitaph_regions *regions, uint64_t start, uint64_t end) {
    regions->thread_bytes_left -= end - start;
    regions->bytes_left -= end - start;
    epitaph_range *last = regions->count == 0 ? NULL : &regions->entries[regions->count - 1];
    if (last != NULL && last->end == start && end - last->start <= REGION_BYTES_LIMIT) {
        last->end = end;
        return;
    }
    epitaph_range *entry = &regions->entries[regions->count++];
    entry->start = start;
    entry->end = end;
}

/// One entry for all cuts: only the budget matters.
static void note_cut(epitaph_capture *capture) {
    epitaph_regions *regions = capture->regions;
    if (regions->is_cut || regions->is_optional) return;
    regions->is_cut = true;
    epitaph_damage_add(capture, EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS, EPITAPH_WHY_OVER_BUDGET,
                       0, 0);
}

bool epitaph_regions_add(epitaph_capture *capture, uint64_t pointer, uint64_t before,
                         uint64_t count) {
    epitaph_regions *regions = capture->regions;
    const uint64_t mask = EPITAPH_REGION_GRANULE - 1;
    pointer = epitaph_pointer_address(pointer);
    if (pointer - regions->own_stack.start < regions->own_stack.end - regions->own_stack.start)
        return true;
    if (epitaph_private_texts_hold(capture, pointer)) return true;
    epitaph_range range;
    range.start = (pointer - before) & ~mask;
    range.end = (pointer - before + count + mask) & ~mask;
    if (range.start > pointer || range.end <= pointer) return true;
    clip(capture, &range, pointer);
    if (range.start >= range.end) return true;
    for (uint64_t start = range.start; start < range.end;) {
        uint64_t end = (start & ~mask) + EPITAPH_REGION_GRANULE;
        if (end > range.end) end = range.end;
        if (!has_room(regions, end - start)) {
            note_cut(capture);
            return false;
        }
        if (is_first_sight(regions, start / EPITAPH_REGION_GRANULE)) {
            // Mostly untouched memory, not worth a damage entry.
            if (!epitaph_residency_is_absent(start)) append(regions, start, end);
        }
        start = end;
    }
    return true;
}

static void write_region(epitaph_capture *capture, uint64_t address, const void *bytes,
                         uint64_t count) {
    epitaph_writer_map_start(&capture->writer, EPITAPH_KEY_MEMORY_REGIONS);
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_MEMORY_REGION_ADDRESS, address);
    epitaph_writer_bytes(&capture->writer, EPITAPH_KEY_MEMORY_REGION_DATA, bytes, count);
    epitaph_writer_end(&capture->writer);
}

void epitaph_regions_write(epitaph_capture *capture) {
    epitaph_regions *regions = capture->regions;
    for (uint32_t i = 0; i < regions->count;) {
        uint32_t got[EPITAPH_MEMORY_BATCH];
        uint32_t count = epitaph_memory_read_batch(capture->scratch, EPITAPH_SCRATCH_SIZE,
                                                   regions->entries + i, regions->count - i, got);
        if (count == 0) break;
        uint8_t *bytes = capture->scratch;
        for (uint32_t j = 0; j < count; j++) {
            const epitaph_range *entry = &regions->entries[i + j];
            epitaph_private_texts_blank(capture, epitaph_copy_of(bytes, got[j], entry->start));
            if (got[j] > 0) write_region(capture, entry->start, bytes, got[j]);
            bytes += entry->end - entry->start;
        }
        i += count;
    }
    regions->count = 0;
}
