// SPDX-License-Identifier: Apache-2.0
//
// /proc/self/maps, read once into a table sorted by address.

#include "memory/memory.h"

#include "processor/registers.h"

#include <fcntl.h>

enum {
    READ_ATTEMPTS = 3,
    /// Stacks in the dump before the others are waited for: the crashing thread's and a subject's.
    NOTED_STACKS = 2,
};

#define ADDRESS_MASK ((1ull << EPITAPH_ADDRESS_BITS) - 1)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/// Whether a known stack pointer is inside, or in a guard page below.
static bool holds_stack(const epitaph_mappings *mappings, uint64_t start, uint64_t end) {
    for (uint32_t i = 0; i < COUNT_OF(mappings->stack_pointers); i++) {
        uint64_t pointer = mappings->stack_pointers[i];
        if (pointer != 0 && pointer < end && pointer + EPITAPH_GUARD_REACH > start) return true;
    }
    return false;
}

static bool has_room(const epitaph_mappings *mappings, uint64_t start, uint64_t end) {
    if (mappings->count < EPITAPH_MAPPING_LIMIT - EPITAPH_MAPPINGS_SET_ASIDE) return true;
    return mappings->count < EPITAPH_MAPPING_LIMIT && holds_stack(mappings, start, end);
}

static bool skip(const char **next, const char *end, char character) {
    return *next < end && *(*next)++ == character;
}

/// " 00000000 fe:00 1234   /path": file offset, device, decimal inode, path.
static void read_backing(epitaph_maps_line *line, const char *next, const char *end) {
    if (!skip(&next, end, ' ')) return;
    epitaph_text_read_hex(&next, end);
    if (!skip(&next, end, ' ')) return;
    line->device_major = epitaph_text_read_hex(&next, end);
    if (!skip(&next, end, ':')) return;
    line->device_minor = epitaph_text_read_hex(&next, end);
    if (!skip(&next, end, ' ')) return;
    line->has_backing = next < end;
    line->inode = epitaph_text_read_decimal(&next, end);
    line->rest = next;
}

bool epitaph_maps_line_read(const char *text, const char *end, epitaph_maps_line *line) {
    const char *next = text;
    epitaph_bytes_zero(line, sizeof *line);
    line->rest = end;
    line->start = epitaph_text_read_hex(&next, end);
    if (!skip(&next, end, '-')) return false;
    line->end = epitaph_text_read_hex(&next, end);
    if (end - next < 5 || *next != ' ') return false;
    line->rights = next + 1;
    read_backing(line, next + 5, end);
    return true;
}

// Major number 0: a file system without a device; minor 0 too: no file. fs/super.c, get_anon_bdev.
static void add_line(epitaph_mappings *mappings, const char *text, const char *end) {
    epitaph_maps_line line;
    if (!epitaph_maps_line_read(text, end, &line)) return;
    // The kernel's own page, [vsyscall].
    if (line.end >> EPITAPH_ADDRESS_BITS != 0) return;
    if (!has_room(mappings, line.start, line.end)) {
        mappings->has_more = true;
        return;
    }
    epitaph_mapping *entry = &mappings->entries[mappings->count++];
    entry->start = line.start;
    entry->end = line.end & ADDRESS_MASK;
    entry->is_readable = line.rights[0] == 'r';
    entry->is_executable = line.rights[2] == 'x';
    entry->is_on_disk = line.device_major != 0;
    entry->is_anonymous = line.rights[3] == 'p' && line.has_backing && line.device_major == 0 &&
                          line.device_minor == 0 && line.inode == 0;
    entry->stack.start = 0;
    entry->stack.end = 0;
}

static size_t parse_lines(epitaph_mappings *mappings, const char *text, size_t count) {
    size_t line = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] != '\n') continue;
        add_line(mappings, text + line, text + i);
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

static long open_maps(void) {
    return epitaph_sys_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
}

/// Reads the file and closes it.
static void read_from(long fd, epitaph_mappings *mappings) {
    // Once the buffer is full, its second half becomes a window, and the text counts as not kept.
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
            // An incomplete map would claim that stacks in the rest do not exist.
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

void epitaph_mappings_read(epitaph_mappings *mappings, uint64_t stack_pointer) {
    mappings->stack_pointers[0] = stack_pointer;
    mappings->stack_pointers[1] = epitaph_capture_settings_now.facts.main_stack_end;
    long fd = open_maps();
    epitaph_mappings_forget(mappings, fd < 0 ? (int32_t)-fd : 0);
    if (fd >= 0) read_from(fd, mappings);
}

void epitaph_mappings_read_again(epitaph_mappings *mappings) {
    epitaph_range stacks[NOTED_STACKS];
    uint32_t count = 0;
    long fd = open_maps();
    if (fd < 0) return;
    for (uint32_t i = 0; i < mappings->count && count < NOTED_STACKS; i++) {
        if (mappings->entries[i].stack.end != 0) stacks[count++] = mappings->entries[i].stack;
    }
    epitaph_mappings_forget(mappings, 0);
    read_from(fd, mappings);
    for (uint32_t i = 0; i < count; i++)
        epitaph_mappings_note_stack(mappings, stacks[i]);
}

// Sorted by the kernel, so both searches can be binary.
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
    // Most words of a stack that are no pointers are outside of all.
    uint32_t count = mappings->count;
    if (count == 0 || address >= mappings->entries[count - 1].end) return NULL;
    uint32_t index = first_ending_above(mappings, address);
    return mappings->entries[index].start > address ? NULL : &mappings->entries[index];
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

/// Nothing is mapped at the ends of the address space.
static const uint64_t lowest_pointer = 0x10000;

bool epitaph_may_be_pointer(uint64_t value) {
    return value >= lowest_pointer && value < UINT64_MAX - lowest_pointer;
}

const epitaph_mapping *epitaph_data_mapping_find(const epitaph_mappings *mappings, uint64_t value) {
    if (!epitaph_may_be_pointer(value)) return NULL;
    value = epitaph_pointer_address(value);
    const epitaph_mapping *mapping = epitaph_mappings_find(mappings, value);
    if (mapping == NULL || !mapping->is_readable || mapping->is_executable) return NULL;
    return value - mapping->stack.start < mapping->stack.end - mapping->stack.start ? NULL
                                                                                    : mapping;
}
