// SPDX-License-Identifier: Apache-2.0
//
// Memory that registers point to: code around instruction pointers, data around the others.

#include "thread_parts.h"

#include "memory.h"

enum {
    CODE_BYTES_BEFORE = 128,
    CODE_BYTES = 256,
    POINTED_BYTES_BEFORE = 128,
    POINTED_BYTES = 512,
    LOWEST_POINTER = 0x10000,
    /// The most that execve(2) takes: a quarter of the usual 8 MiB stack, with room to spare.
    ARGUMENTS_LIMIT = 8 << 20,
};

static bool is_first_sight(epitaph_capture *capture, uint64_t pointer) {
    uint64_t *seen = &capture->seen_pointers[(pointer >> 4) % EPITAPH_SEEN_POINTER_COUNT];
    if (*seen == pointer) return false;
    *seen = pointer;
    return true;
}

static void write_region(epitaph_capture *capture, uint64_t address, const void *bytes,
                         size_t count) {
    epitaph_writer_map_start(&capture->writer, EPITAPH_KEY_MEMORY_REGIONS);
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_MEMORY_REGION_ADDRESS, address);
    epitaph_writer_bytes(&capture->writer, EPITAPH_KEY_MEMORY_REGION_DATA, bytes, count);
    epitaph_writer_end(&capture->writer);
}

/// Whether the bytes may belong to the arguments and the environment of the program, which lie
/// above the main thread's stack and stay out of dumps.
static bool is_private(const epitaph_capture *capture, uint64_t start, uint64_t end) {
    uint64_t private_start = epitaph_capture_settings_now.facts.main_stack_end;
    if (private_start == 0) return false;
    const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, private_start);
    uint64_t private_end = mapping == NULL ? private_start + ARGUMENTS_LIMIT : mapping->end;
    return start < private_end && end > private_start;
}

/// Writes what is readable of `count` bytes, `before` of them below `pointer`.
static void write_region_around(epitaph_capture *capture, uint64_t pointer, uint64_t before,
                                size_t count) {
    uint8_t bytes[POINTED_BYTES];
    uint64_t start = pointer - before;
    if (is_private(capture, start, start + count)) return;
    size_t got = epitaph_memory_read(bytes, start, count);
    if (got <= before) {
        // The page below is missing: begin with the pointer's own.
        start = pointer;
        got = epitaph_memory_read(bytes, start, count - before);
    }
    if (got > 0) write_region(capture, start, bytes, got);
}

void epitaph_code_region_write(epitaph_capture *capture, uint64_t instruction_pointer) {
    if (instruction_pointer < LOWEST_POINTER || !is_first_sight(capture, instruction_pointer)) {
        return;
    }
    write_region_around(capture, instruction_pointer, CODE_BYTES_BEFORE, CODE_BYTES);
}

void epitaph_pointed_memory_write(epitaph_capture *capture, const ucontext_t *context) {
    uint64_t values[32];
    uint32_t count = epitaph_registers_values(context, values);
    for (uint32_t i = 0; i < count; i++) {
        bool is_pointer = values[i] >= LOWEST_POINTER && values[i] < UINT64_MAX - LOWEST_POINTER;
        if (!is_pointer || !is_first_sight(capture, values[i])) continue;
        write_region_around(capture, values[i], POINTED_BYTES_BEFORE, POINTED_BYTES);
    }
}
