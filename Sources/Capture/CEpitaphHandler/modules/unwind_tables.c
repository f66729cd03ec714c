// SPDX-License-Identifier: Apache-2.0
//
// UNWIND_TABLES: what unwinding needs of a module whose file is gone: ELF header, program headers,
// .eh_frame_hdr, unless the executable has none, and .eh_frame (Linux Standard Base, Core, 10.6).

#include "modules/modules.h"

#include "regions/regions.h"
#include "stacks/stacks.h"

enum {
    HEADER_LIMIT = 48,
    ORDERED_LIMIT = 64,
    /// Part of the crashing stack to search for code pointers.
    STACK_BYTES = EPITAPH_STACK_WORD_COUNT * sizeof(uint64_t),
    HDR_VERSION = 1,
    /// DW_EH_PE_: format of an encoded address, and what it is relative to.
    ENCODED_8_BYTES_UNSIGNED = 0x04,
    ENCODED_4_BYTES_UNSIGNED = 0x03,
    ENCODED_8_BYTES = 0x0c,
    ENCODED_4_BYTES = 0x0b,
    RELATIVE_TO_PLACE = 0x10,
    RELATIVE_TO_HDR = 0x30,
    FORMAT_MASK = 0x0f,
    RELATION_MASK = 0x70,
    /// Place of the encoded address in .eh_frame_hdr, after version and encodings.
    ADDRESS_OFFSET = 4,
    LONG_LENGTH_BYTES = 12,
};

/// A record of .eh_frame that begins with this has an eight-byte length next.
static const uint32_t long_length_mark = 0xffffffff;

typedef struct image {
    uint64_t start;
    uint64_t bias;
    Elf64_Ehdr file;
    uint32_t segment_count;
    Elf64_Phdr segments[HEADER_LIMIT];
} image;

static bool read_image(image *image, uint64_t start) {
    Elf64_Ehdr *file = &image->file;
    image->start = start;
    if (!epitaph_memory_read_exactly(file, start, sizeof *file)) return false;
    bool is_elf = file->e_ident[0] == ELFMAG0 && file->e_ident[1] == ELFMAG1 &&
                  file->e_ident[2] == ELFMAG2 && file->e_ident[3] == ELFMAG3;
    if (!is_elf || file->e_phentsize != sizeof(Elf64_Phdr)) return false;
    image->segment_count = file->e_phnum < HEADER_LIMIT ? file->e_phnum : HEADER_LIMIT;
    if (!epitaph_memory_read_exactly(image->segments, start + file->e_phoff,
                                     image->segment_count * sizeof *image->segments)) {
        return false;
    }
    // The segment at offset 0 contains the ELF header; its file address gives the bias.
    for (uint32_t i = 0; i < image->segment_count; i++) {
        if (image->segments[i].p_type != PT_LOAD || image->segments[i].p_offset != 0) continue;
        image->bias = start - image->segments[i].p_vaddr;
        return true;
    }
    return false;
}

static uint64_t segment_end(const image *image, uint64_t address) {
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        uint64_t offset = address - (image->bias + segment->p_vaddr);
        if (segment->p_type == PT_LOAD && offset < segment->p_filesz)
            return address - offset + segment->p_filesz;
    }
    return 0;
}

static epitaph_range find_hdr(const image *image) {
    epitaph_range found;
    found.start = 0;
    found.end = 0;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type != PT_GNU_EH_FRAME) continue;
        uint64_t start = image->bias + segment->p_vaddr;
        uint64_t limit = segment_end(image, start);
        if (limit == 0) continue;
        found.start = start;
        found.end = segment->p_memsz < limit - start ? start + segment->p_memsz : limit;
    }
    return found;
}

/// Start of .eh_frame by .eh_frame_hdr; 0 if unknown.
static uint64_t find_frames(epitaph_range hdr) {
    struct {
        uint8_t version;
        uint8_t encodings[3];
        uint8_t address[8];
    } head;
    if (hdr.end - hdr.start < sizeof head) return 0;
    if (!epitaph_memory_read_exactly(&head, hdr.start, sizeof head)) return 0;
    if (head.version != HDR_VERSION) return 0;
    int32_t half;
    uint64_t value;
    epitaph_bytes_copy(&half, head.address, sizeof half);
    epitaph_bytes_copy(&value, head.address, sizeof value);
    switch (head.encodings[0] & FORMAT_MASK) {
    case ENCODED_4_BYTES: value = (uint64_t)(int64_t)half; break;
    case ENCODED_4_BYTES_UNSIGNED: value = (uint32_t)half; break;
    case ENCODED_8_BYTES:
    case ENCODED_8_BYTES_UNSIGNED: break;
    default: return 0;
    }
    switch (head.encodings[0] & RELATION_MASK) {
    case 0: return value;
    case RELATIVE_TO_PLACE: return hdr.start + ADDRESS_OFFSET + value;
    case RELATIVE_TO_HDR: return hdr.start + value;
    default: return 0;
    }
}

/// Of an executable without .eh_frame_hdr, as it was found in its file.
static epitaph_range find_known_frames(const epitaph_module *module) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_range found;
    bool is_executable = module->path_address == 0;
    found.start = is_executable ? facts->frames_address : 0;
    found.end = found.start == 0 ? 0 : found.start + facts->frames_bytes;
    return found;
}

/// No mapped header has the size of .eh_frame: it is a sequence of records that begin with their
/// length, up to one of length 0. Returns the end of the last complete record before `limit` or
/// unreadable memory; `has_ended`: that is the end of .eh_frame.
static uint64_t frames_end(epitaph_capture *capture, uint64_t start, uint64_t limit,
                           bool *has_ended) {
    *has_ended = false;
    uint64_t next = start;
    epitaph_range window;
    window.start = start;
    window.end = start;
    while (limit - next >= sizeof(uint32_t)) {
        if (window.end - next < LONG_LENGTH_BYTES) {
            uint64_t wanted = limit - next;
            if (wanted > EPITAPH_SCRATCH_SIZE) wanted = EPITAPH_SCRATCH_SIZE;
            window.start = next;
            window.end = next + epitaph_memory_read(capture->scratch, next, wanted);
        }
        uint64_t left = window.end - next;
        const uint8_t *record = capture->scratch + (next - window.start);
        uint32_t length;
        if (left < sizeof length) return next;
        epitaph_bytes_copy(&length, record, sizeof length);
        *has_ended = length == 0;
        if (length == 0) return next + sizeof length;
        uint64_t count = (uint64_t)length + sizeof length;
        if (length == long_length_mark) {
            if (left < LONG_LENGTH_BYTES) return next;
            epitaph_bytes_copy(&count, record + sizeof length, sizeof count);
            if (count > limit - next - LONG_LENGTH_BYTES) return next;
            count += LONG_LENGTH_BYTES;
        }
        if (count > limit - next) return next;
        next += count;
        // A long record may end beyond the window.
        if (next > window.end) window.end = next;
    }
    return next;
}

static bool write_within(epitaph_capture *capture, epitaph_range range, uint64_t module,
                         uint64_t *bytes_left) {
    uint64_t wanted = range.end - range.start;
    uint64_t granted = wanted < *bytes_left ? wanted : *bytes_left;
    *bytes_left -= granted;
    range.end = range.start + granted;
    epitaph_present_parts_write(capture, EPITAPH_KEY_UNWIND_TABLES, range, module);
    if (granted == wanted) return true;
    epitaph_damage_add_bytes(capture, EPITAPH_KEY_UNWIND_TABLES, EPITAPH_WHY_OVER_BUDGET, module,
                             wanted - granted);
    return false;
}

static void write_frames(epitaph_capture *capture, uint64_t start, uint64_t limit, uint64_t module,
                         uint64_t *bytes_left) {
    bool is_clipped = limit - start > *bytes_left;
    bool has_ended;
    epitaph_range frames;
    if (is_clipped) limit = start + *bytes_left;
    frames.start = start;
    frames.end = frames_end(capture, start, limit, &has_ended);
    write_within(capture, frames, module, bytes_left);
    if (has_ended) return;
    if (epitaph_residency_is_absent(frames.end)) {
        epitaph_damage_add(capture, EPITAPH_KEY_UNWIND_TABLES, EPITAPH_WHY_NOT_RESIDENT, 0, module);
    } else if (is_clipped) {
        epitaph_damage_add(capture, EPITAPH_KEY_UNWIND_TABLES, EPITAPH_WHY_OVER_BUDGET, 0, module);
    }
}

static void write_module(epitaph_capture *capture, const epitaph_module *module,
                         uint64_t *bytes_left) {
    image image;
    if (!read_image(&image, module->start)) {
        epitaph_damage_add(capture, EPITAPH_KEY_UNWIND_TABLES, epitaph_residency_why(module->start),
                           0, module->start);
        return;
    }
    epitaph_range headers;
    headers.start = module->start;
    headers.end =
        module->start + image.file.e_phoff + (uint64_t)image.segment_count * sizeof *image.segments;
    epitaph_range hdr = find_hdr(&image);
    epitaph_range frames = find_known_frames(module);
    if (frames.start == 0) frames.start = find_frames(hdr);
    uint64_t limit = segment_end(&image, frames.start);
    if (frames.end != 0 && frames.end < limit) limit = frames.end;
    if (limit == 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_UNWIND_TABLES, EPITAPH_WHY_NOT_AVAILABLE, 0,
                           module->start);
        return;
    }
    if (!write_within(capture, headers, module->start, bytes_left)) return;
    if (!write_within(capture, hdr, module->start, bytes_left)) return;
    write_frames(capture, frames.start, limit, module->start, bytes_left);
}

static bool is_pointed_to(const epitaph_module *module, const uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (words[i] - module->start < module->end - module->start) return true;
    }
    return false;
}

/// Sorts modules on the crashing thread's stack to the front, after the executable.
static void order(epitaph_capture *capture, uint16_t *indices, uint32_t count) {
    uint64_t *words = capture->stacks->words;
    uint64_t start = (epitaph_registers_stack_pointer(capture->context) + 7) & ~7ull;
    size_t got = epitaph_memory_read(words + 1, start, STACK_BYTES - sizeof *words);
    size_t word_count = 1 + got / sizeof *words;
    words[0] = epitaph_registers_instruction_pointer(capture->context);
    uint32_t front = 0;
    for (uint32_t i = 0; i < count; i++) {
        const epitaph_module *module = &capture->modules->entries[indices[i]];
        if (module->path_address != 0 && !is_pointed_to(module, words, word_count)) continue;
        uint16_t index = indices[i];
        for (uint32_t j = i; j > front; j--)
            indices[j] = indices[j - 1];
        indices[front++] = index;
    }
}

void epitaph_unwind_tables_write(epitaph_capture *capture) {
    uint64_t bytes_left = epitaph_capture_settings_now.limits.unwind_tables_bytes;
    uint16_t indices[ORDERED_LIMIT];
    uint32_t count = 0;
    uint32_t next = 0;
    for (; next < capture->modules->count && count < ORDERED_LIMIT; next++) {
        if (capture->modules->entries[next].has_lost_file) indices[count++] = (uint16_t)next;
    }
    if (count == 0) return;
    order(capture, indices, count);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_UNWIND_TABLES);
    for (uint32_t i = 0; i < count; i++)
        write_module(capture, &capture->modules->entries[indices[i]], &bytes_left);
    for (; next < capture->modules->count; next++) {
        if (!capture->modules->entries[next].has_lost_file) continue;
        write_module(capture, &capture->modules->entries[next], &bytes_left);
    }
    epitaph_writer_end(&capture->writer);
}
