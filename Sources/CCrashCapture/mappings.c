// SPDX-License-Identifier: Apache-2.0

#include "mappings.h"

#include "bytes.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>

enum { READ_ATTEMPTS = 3 };

// "7f12a000-7f12c000 r-xp ...": proc(5). Only the range and two of the permissions matter here; the
// converter has the whole text.
static void parse_line(epitaph_mappings *mappings, const char *line, const char *end) {
    if (mappings->count == EPITAPH_MAPPING_LIMIT) {
        mappings->has_more = true;
        return;
    }
    const char *next = line;
    uint64_t start = epitaph_text_read_hex(&next, end);
    if (next == end || *next++ != '-') return;
    uint64_t stop = epitaph_text_read_hex(&next, end);
    if (end - next < 4 || *next != ' ') return;
    epitaph_mapping *entry = &mappings->entries[mappings->count++];
    entry->start = start;
    entry->end = stop;
    entry->is_readable = next[1] == 'r';
    entry->is_executable = next[3] == 'x';
    entry->stack.start = 0;
    entry->stack.end = 0;
}

/// Parses the whole lines among the first `count` bytes; returns how many bytes of an unfinished
/// line are left.
static size_t parse_lines(epitaph_mappings *mappings, const char *text, size_t count) {
    size_t line = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] != '\n') continue;
        parse_line(mappings, text + line, text + i);
        line = i + 1;
    }
    return count - line;
}

void epitaph_mappings_forget(epitaph_mappings *mappings, int32_t error) {
    mappings->count = 0;
    mappings->text_bytes = 0;
    mappings->error = error;
    mappings->has_more = false;
}

void epitaph_mappings_read(epitaph_mappings *mappings) {
    epitaph_mappings_forget(mappings, 0);
    long fd = epitaph_sys_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        mappings->error = (int32_t)-fd;
        return;
    }
    // Once the text is full its second half is used as a window and the text counts as not kept.
    size_t filled = 0;
    size_t unparsed = 0;
    bool is_whole = true;
    int attempts = 0;
    for (;;) {
        if (filled == EPITAPH_MAPS_TEXT_SIZE) {
            is_whole = false;
            filled = EPITAPH_MAPS_TEXT_SIZE / 2 + unparsed;
            epitaph_bytes_copy(mappings->text + EPITAPH_MAPS_TEXT_SIZE / 2,
                               mappings->text + EPITAPH_MAPS_TEXT_SIZE - unparsed, unparsed);
        }
        long got =
            epitaph_sys_read((int)fd, mappings->text + filled, EPITAPH_MAPS_TEXT_SIZE - filled);
        if (got < 0 && attempts++ < READ_ATTEMPTS) continue;
        if (got < 0) {
            // Half a map would say that a stack in the other half does not exist.
            mappings->error = (int32_t)-got;
            mappings->count = 0;
            filled = 0;
        }
        if (got <= 0) break;
        size_t line = filled - unparsed;
        filled += (size_t)got;
        unparsed = parse_lines(mappings, mappings->text + line, filled - line);
    }
    if (is_whole) mappings->text_bytes = (uint32_t)filled;
    epitaph_sys_close((int)fd);
}

// The kernel lists mappings by address, so both searches can halve the table.
static uint32_t first_ending_above(const epitaph_mappings *mappings, uint64_t address) {
    uint32_t low = 0;
    uint32_t high = mappings->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mappings->entries[middle].end > address) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

const epitaph_mapping *epitaph_mappings_find(const epitaph_mappings *mappings, uint64_t address) {
    uint32_t index = first_ending_above(mappings, address);
    if (index == mappings->count || mappings->entries[index].start > address) return NULL;
    return &mappings->entries[index];
}

void epitaph_mappings_note_stack(epitaph_mappings *mappings, epitaph_range stack) {
    uint32_t index = first_ending_above(mappings, stack.start);
    if (index == mappings->count || stack.start == stack.end) return;
    mappings->entries[index].stack.start = stack.start;
    mappings->entries[index].stack.end = stack.end;
}

const epitaph_mapping *epitaph_mappings_find_readable_from(const epitaph_mappings *mappings,
                                                           uint64_t address) {
    for (uint32_t i = first_ending_above(mappings, address); i < mappings->count; i++) {
        if (mappings->entries[i].is_readable) return &mappings->entries[i];
    }
    return NULL;
}
