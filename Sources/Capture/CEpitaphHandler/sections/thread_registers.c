// SPDX-License-Identifier: Apache-2.0
//
// THREAD_STATE and FLOAT_STATE. String functions leave what they read in vector registers:
// getenv(3) leaves the value and its neighbours.

#include "sections/sections.h"

enum { WIDEST_REGISTER_BYTES = 64 };

static void write_general(epitaph_capture *capture, const ucontext_t *context) {
    size_t count;
    const void *saved = epitaph_registers_saved(context, &count);
    epitaph_bytes_copy(capture->scratch, saved, count);
    epitaph_range part = epitaph_registers_general_part();
    epitaph_blank(&capture->blanking,
                  epitaph_copy_of(capture->scratch + part.start, part.end - part.start, 0));
    epitaph_writer_bytes(&capture->writer, EPITAPH_KEY_THREAD_STATE, capture->scratch, count);
}

/// Assembles a register stored in parts, to find runs across them. False if there is none.
static bool blank_wide(epitaph_capture *capture, uint32_t number, size_t count) {
    uint8_t whole[WIDEST_REGISTER_BYTES];
    epitaph_range parts[EPITAPH_WIDE_PART_COUNT];
    uint32_t part_count = epitaph_registers_wide_parts(number, count, parts);
    uint64_t whole_size = 0;
    for (uint32_t i = 0; i < part_count; i++) {
        uint64_t size = parts[i].end - parts[i].start;
        epitaph_bytes_copy(whole + whole_size, capture->scratch + parts[i].start, size);
        whole_size += size;
    }
    epitaph_blank_registers(&capture->blanking, epitaph_copy_of(whole, whole_size, 0));
    const uint8_t *next = whole;
    for (uint32_t i = 0; i < part_count; i++) {
        uint64_t size = parts[i].end - parts[i].start;
        epitaph_bytes_copy(capture->scratch + parts[i].start, next, size);
        next += size;
    }
    return part_count > 0;
}

static void write_floats(epitaph_capture *capture, const ucontext_t *context,
                         bool is_in_system_call) {
    size_t count = 0;
    const void *area = epitaph_registers_floats(context, is_in_system_call, &count);
    if (area == NULL || count > EPITAPH_SCRATCH_SIZE) return;
    epitaph_bytes_copy(capture->scratch, area, count);
    for (uint32_t number = 0; blank_wide(capture, number, count); number++)
        continue;
    epitaph_range range;
    for (uint32_t part = 0; epitaph_registers_float_part(part, count, &range); part++) {
        epitaph_blank_registers(&capture->blanking, epitaph_copy_of(capture->scratch + range.start,
                                                                    range.end - range.start, 0));
    }
    epitaph_writer_bytes(&capture->writer, EPITAPH_KEY_FLOAT_STATE, capture->scratch, count);
}

void epitaph_thread_registers_write(epitaph_capture *capture, const ucontext_t *context,
                                    bool is_in_system_call) {
    write_general(capture, context);
    write_floats(capture, context, is_in_system_call);
}
